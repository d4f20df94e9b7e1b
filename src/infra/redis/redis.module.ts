import { Global, Module } from '@nestjs/common';
import { RedisConnections } from './redis.connections.js';
import { RedisFitnessCheck } from './redis-fitness.js';

@Global()
@Module({ providers: [RedisConnections, RedisFitnessCheck], exports: [RedisConnections, RedisFitnessCheck] })
export class RedisModule {}
