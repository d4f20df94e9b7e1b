--[[
  Mends the place of one token in a stock list, after it was proved odd.

  KEYS  1 sale, 2 stock list of the item
  ARGV  1 epoch, 2 item id, 3 serial, 4 how often the list must hold it (0 or 1), 5 channel, 6 `<saleId>:<shard>`

  Answers  {'MENDED', copies that were there} | {'FINE'} (the list held it as often as it must) | {'STALE'}
]]
--- @include "has-opened"
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'expireAtMs', 'standbyLimit')
if sale[1] ~= ARGV[1] then return { 'STALE' } end
local wanted, before = tonumber(ARGV[4]), redis.call('LLEN', KEYS[2])
local copies = #redis.call('LPOS', KEYS[2], ARGV[3], 'COUNT', 0)
if copies == wanted then return { 'FINE' } end

if copies > wanted then
  redis.call('LREM', KEYS[2], copies - wanted, ARGV[3])
else
  redis.call('LPUSH', KEYS[2], ARGV[3])
  redis.call('PEXPIREAT', KEYS[2], sale[2])
  redis.call('HDEL', KEYS[1], 'offered')
end
local after = redis.call('LLEN', KEYS[2])
if before == 0 and after > 0 then redis.call('PUBLISH', ARGV[5], 'in_stock ' .. ARGV[6] .. ' ' .. ARGV[2]) end
if before > 0 and after == 0 and tonumber(sale[3] or 0) == 0 and hasOpened(KEYS[1]) then redis.call('PUBLISH', ARGV[5], 'sold_out ' .. ARGV[6] .. ' ' .. ARGV[2]) end
return { 'MENDED', copies }
