--[[
  Brings the operator's decisions (state, window, texts, limits) into a loaded shard. Tokens, tickets and counters stay as they are. Where a
  limit falls, tickets in line may be above it: `limitsFell` tells claims to judge them again, `unjudged` to begin with who stands by.

  KEYS  1 sale, 2 goods, then every other key of the shard (their expiry follows the window)
  ARGV  1 epoch, 2 expiry (epoch ms), 3 number m of sale fields, then m field/value pairs, then per item its id and its JSON

  Answers  {'STEERED'} | {'NOT_LOADED'} (nothing stands there, or another epoch)
]]
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return { 'NOT_LOADED' } end
local last = 3 + 2 * tonumber(ARGV[3])
local fell = false
for i = 4, last, 2 do
  if string.sub(ARGV[i], 1, 6) == 'limit:' then
    local before = tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or 0)
    fell = fell or tonumber(ARGV[i + 1]) < before
  end
end
redis.call('HSET', KEYS[1], unpack(ARGV, 4, last))
if fell then redis.call('HSET', KEYS[1], 'limitsFell', 1, 'unjudged', 0) end
redis.call('HSET', KEYS[2], unpack(ARGV, last + 1))
for i = 1, #KEYS do redis.call('PEXPIREAT', KEYS[i], ARGV[2]) end
return { 'STEERED' }
