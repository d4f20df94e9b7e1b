--[[
  Takes free tokens of an item off the list for MySQL to keep: an operator takes them out of sale, an order that is paid late gets units
  again, or they move to another shard. The last in line, all of the number asked for or none. A late order gets none of those for which somebody stands by. They stand in `withdrawing` until MySQL has them, or they go back.

  KEYS  1 sale, 2 stock list of the item, 3 withdrawing
  ARGV  1 epoch, 2 id of the withdrawal, 3 item id, 4 number, 5 channel, 6 `<saleId>:<shard>`, 7 user id of the order ('' for none),
        8 shard to which they move ('' for none)

  Answers  {'TAKEN', {serial, …}} (a repeat of the same id gets the same serials) | {'SHORT', left} | {'STALE'}
]]
--- @include "has-opened"
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'expireAtMs', 'standbyLimit', 'onStandby', 'offered')
if sale[1] ~= ARGV[1] then return { 'STALE' } end
local stored = redis.call('HGET', KEYS[3], ARGV[2])
if stored then return { 'TAKEN', cjson.decode(stored).serials } end

local wanted, left = tonumber(ARGV[4]), redis.call('LLEN', KEYS[2])
if not wanted or wanted < 1 or wanted % 1 ~= 0 or left < wanted then return { 'SHORT', left } end

if ARGV[7] ~= '' and tonumber(sale[4] or 0) > 0 and sale[5] ~= 'all' then return { 'SHORT', 0 } end

local serials = redis.call('LPOP', KEYS[2], wanted)
redis.call('HSET', KEYS[3], ARGV[2], cjson.encode({ itemId = ARGV[3], serials = serials, userId = ARGV[7], toShard = ARGV[8] }))
redis.call('PEXPIREAT', KEYS[3], sale[2])
if left == wanted and tonumber(sale[3] or 0) == 0 and hasOpened(KEYS[1]) then redis.call('PUBLISH', ARGV[5], 'sold_out ' .. ARGV[6] .. ' ' .. ARGV[3]) end
return { 'TAKEN', serials }
