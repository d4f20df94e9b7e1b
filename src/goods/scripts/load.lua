--[[
  Puts a prepared build of a shard's state in place, in one step, unless a state of the same or a newer epoch stands there.

  KEYS  1 sale, 2 goods, 3 working, 4 returned, 5 withdrawing, 6 standby, 7 queue, 8 claimed, 9 status, 10 count, 11 units, then n stock
        lists; behind them the staging keys of the keys from 7 on, in the same order
  ARGV  1 epoch, 2 expiry (epoch ms), 3 n, 4 channel, 5 `<saleId>:<shard>`, 6 number m of sale fields,
        then m field/value pairs of the sale, then per item its id and its JSON,
        then how many entries each staging key must have, in the order of the keys

  Answers  {'LOADED', tokens} | {'STANDING', epoch}
           {'INCOMPLETE'}  a part of what was prepared is gone (Redis restarted, or it took too long); nothing was changed
]]
--- @include "has-opened"
local epoch, expireAtMs, n, fields = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[6])
local live, staged = 11 + n, 5 + n
local items, sizes = 6 + 2 * fields, 6 + 2 * fields + 2 * n

local standing = redis.call('HGET', KEYS[1], 'epoch')
if standing and tonumber(standing) >= tonumber(epoch) then
  redis.call('UNLINK', unpack(KEYS, live + 1, live + staged))
  return { 'STANDING', standing }
end
for i = 1, staged do
  local isList = i == 1 or i > 5
  local size = redis.call(isList and 'LLEN' or 'HLEN', KEYS[live + i])
  if size ~= tonumber(ARGV[sizes + i]) then
    redis.call('UNLINK', unpack(KEYS, live + 1, live + staged))
    return { 'INCOMPLETE' }
  end
end

redis.call('UNLINK', unpack(KEYS, 1, live))
for i = 1, staged do
  -- A build without orders, or of a sold-out item, has no such key.
  if tonumber(ARGV[sizes + i]) > 0 then
    redis.call('RENAME', KEYS[live + i], KEYS[6 + i])
    redis.call('PEXPIREAT', KEYS[6 + i], expireAtMs)
  end
end
redis.call('HSET', KEYS[1], unpack(ARGV, 7, items))
redis.call('PEXPIREAT', KEYS[1], expireAtMs)

local tokens, saysSoldOut = 0, tonumber(redis.call('HGET', KEYS[1], 'standbyLimit') or 0) == 0 and hasOpened(KEYS[1])
for i = 1, n do
  local item, json, length = ARGV[items + 2 * i - 1], ARGV[items + 2 * i], tonumber(ARGV[sizes + 5 + i])
  redis.call('HSET', KEYS[2], item, json)
  tokens = tokens + length
  if length > 0 or saysSoldOut then redis.call('PUBLISH', ARGV[4], (length > 0 and 'in_stock ' or 'sold_out ') .. ARGV[5] .. ' ' .. item) end
end
redis.call('PEXPIREAT', KEYS[2], expireAtMs)
-- Whoever follows a ticket of this shard reads it anew.
redis.call('PUBLISH', 'seckill:tickets:' .. ARGV[5], '*')
return { 'LOADED', tokens }
