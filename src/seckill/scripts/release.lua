--[[
  Puts one token back into stock: a row of the token_returns outbox. Each row counts once, however often it is relayed: its bit is
  remembered in a bitmap, one bit a row. Who stands by for units is to be served first, for which a drain has to be woken.

  KEYS  1 sale, 2 units, 3 returned, 4 stock list of the item
  ARGV  1 epoch, 2 id of the outbox row, 3 item id, 4 serial, 5 user id who held it ('' for new stock), 6 channel, 7 `<saleId>:<shard>`

  Answers  {'RELEASED', wake} (wake = 1: the shard's drain has to be signalled) | {'REPEATED'} | {'STALE'} (no state, or another epoch's)
]]
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'returnsBase', 'expireAtMs', 'onStandby', 'waking')
if sale[1] ~= ARGV[1] then return { 'STALE' } end
local offset = tonumber(ARGV[2]) - tonumber(sale[2])
if offset < 0 or redis.call('SETBIT', KEYS[3], offset, 1) == 1 then return { 'REPEATED' } end

local length = redis.call('LPUSH', KEYS[4], ARGV[4])
if ARGV[5] ~= '' then redis.call('HINCRBY', KEYS[2], ARGV[5] .. ':' .. ARGV[3], -1) end
for i = 2, 4 do redis.call('PEXPIREAT', KEYS[i], sale[3]) end
if length == 1 then redis.call('PUBLISH', ARGV[6], 'in_stock ' .. ARGV[7] .. ' ' .. ARGV[3]) end

redis.call('HDEL', KEYS[1], 'offered')
if tonumber(sale[4] or 0) == 0 or sale[5] then return { 'RELEASED', 0 } end
redis.call('HSET', KEYS[1], 'waking', 0)
return { 'RELEASED', 1 }
