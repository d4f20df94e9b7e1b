--[[
  Puts a prepared build of a shard's state in place, in one step, unless a state of the same or a newer epoch stands there.

  KEYS  1 sale, 2 goods, 3 queue, 4 claimed, 5 working, 6 returned, 7 withdrawing, 8 status, 9 count, 10 units, then n stock lists;
        behind them the staging keys of status, count, units and of each stock list, in the same order
  ARGV  1 epoch, 2 expiry (epoch ms), 3 n, 4 channel, 5 `<saleId>:<shard>`, 6 number m of sale fields,
        then m field/value pairs of the sale, then per item its id and its JSON

  Answers  {'LOADED', tokens} | {'STANDING', epoch}
]]
local epoch, expireAtMs, n = ARGV[1], ARGV[2], tonumber(ARGV[3])
local live, staged = 10 + n, 3 + n

local standing = redis.call('HGET', KEYS[1], 'epoch')
if standing and tonumber(standing) >= tonumber(epoch) then
  redis.call('UNLINK', unpack(KEYS, live + 1, live + staged))
  return { 'STANDING', standing }
end

redis.call('UNLINK', unpack(KEYS, 1, live))
for i = 1, staged do
  -- A build without orders, or of a sold-out item, has no such key.
  if redis.call('EXISTS', KEYS[live + i]) == 1 then
    redis.call('RENAME', KEYS[live + i], KEYS[7 + i])
    redis.call('PEXPIREAT', KEYS[7 + i], expireAtMs)
  end
end

local fields = tonumber(ARGV[6])
redis.call('HSET', KEYS[1], unpack(ARGV, 7, 6 + 2 * fields))
redis.call('PEXPIREAT', KEYS[1], expireAtMs)

local tokens = 0
for i = 1, n do
  local item, json = ARGV[5 + 2 * fields + 2 * i], ARGV[6 + 2 * fields + 2 * i]
  redis.call('HSET', KEYS[2], item, json)
  local length = redis.call('LLEN', KEYS[10 + i])
  tokens = tokens + length
  redis.call('PUBLISH', ARGV[4], (length > 0 and 'in_stock ' or 'sold_out ') .. ARGV[5] .. ' ' .. item)
end
redis.call('PEXPIREAT', KEYS[2], expireAtMs)
return { 'LOADED', tokens }
