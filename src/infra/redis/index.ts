export { RedisFitnessCheck, type RedisFitness } from './redis-fitness.js';
export { openRedis, RedisConnections, type RedisClient } from './redis.connections.js';
export { isRedisUnavailable } from './redis-errors.js';
export { RedisModule } from './redis.module.js';
export { asInteger, asList, asText, Script, type ScriptReply } from './script.js';
