--[[
  Takes free tokens of an item off the list for MySQL to keep: an operator takes them out of sale, an order that is paid late gets units
  again, or they move to another shard. The last in line, all of the number asked for or none. They stand in `withdrawing` until MySQL has
  them, or they go back.

  An operator has the last word, the others come after who is in line here: they get what is left when everybody in the queue has taken as
  many as a shopper may, and nothing that has to be offered to the standby line yet.

  KEYS  1 sale, 2 stock list of the item, 3 withdrawing, 4 queue
  ARGV  1 epoch, 2 id of the withdrawal, 3 item id, 4 number, 5 channel, 6 `<saleId>:<shard>`, 7 user id of the order ('' for none),
        8 shard to which they move ('' for none)

  Answers  {'TAKEN', {serial, …}} (a repeat of the same id gets the same serials) | {'SHORT', left} | {'LINE_FIRST'} | {'STALE'}
]]
--- @include "has-opened"
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'expireAtMs', 'standbyLimit', 'onStandby', 'offered', 'limit:' .. ARGV[3])
if sale[1] ~= ARGV[1] then return { 'STALE' } end
local stored = redis.call('HGET', KEYS[3], ARGV[2])
if stored then return { 'TAKEN', cjson.decode(stored).serials } end

local wanted, left = tonumber(ARGV[4]), redis.call('LLEN', KEYS[2])
if not wanted or wanted < 1 or wanted % 1 ~= 0 or left < wanted then return { 'SHORT', left } end

if ARGV[7] ~= '' or ARGV[8] ~= '' then
  local isOffered = tonumber(sale[4] or 0) > 0 and sale[5] ~= 'all'
  if isOffered or left - wanted < redis.call('LLEN', KEYS[4]) * tonumber(sale[6] or 0) then return { 'LINE_FIRST' } end
end

local serials = redis.call('LPOP', KEYS[2], wanted)
redis.call('HSET', KEYS[3], ARGV[2], cjson.encode({ itemId = ARGV[3], serials = serials, userId = ARGV[7], toShard = ARGV[8] }))
redis.call('PEXPIREAT', KEYS[3], sale[2])
if left == wanted and tonumber(sale[3] or 0) == 0 and hasOpened(KEYS[1]) then redis.call('PUBLISH', ARGV[5], 'sold_out ' .. ARGV[6] .. ' ' .. ARGV[3]) end
return { 'TAKEN', serials }
