--[[
  A drain that stops before its shard is empty gives its lease up, so that another goes on at once.

  KEYS  1 sale
  ARGV  1 drain id

  Answers  {'YIELDED'} | {'NOT_OURS'}
]]
if redis.call('HGET', KEYS[1], 'drainId') ~= ARGV[1] then return { 'NOT_OURS' } end
redis.call('HDEL', KEYS[1], 'waking', 'drainId', 'leaseUntilMs', 'claimedAtMs')
return { 'YIELDED' }
