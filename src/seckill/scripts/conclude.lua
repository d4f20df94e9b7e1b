--[[
  Ends a withdrawal: its tokens are in MySQL now, or go back to stock. May be repeated.

  KEYS  1 sale, 2 stock list of the item, 3 withdrawing, 4 units
  ARGV  1 epoch, 2 id of the withdrawal, 3 `withdrawn` or `returned`, 4 channel, 5 `<saleId>:<shard>`,
        6 serials that must not return, as `serial,serial`: they are in other hands

  Answers  {'CONCLUDED'} | {'UNKNOWN'} (concluded before) | {'STALE'}
]]
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'expireAtMs')
if sale[1] ~= ARGV[1] then return { 'STALE' } end
local stored = redis.call('HGET', KEYS[3], ARGV[2])
if not stored then return { 'UNKNOWN' } end

local withdrawal = cjson.decode(stored)
if ARGV[3] == 'returned' then
  local dropped, wasDry, back = {}, redis.call('EXISTS', KEYS[2]) == 0, 0
  for serial in string.gmatch(ARGV[6], '%d+') do dropped[serial] = true end
  for i = #withdrawal.serials, 1, -1 do
    if not dropped[withdrawal.serials[i]] then back = redis.call('LPUSH', KEYS[2], withdrawal.serials[i]) end
  end
  redis.call('PEXPIREAT', KEYS[2], sale[2])
  redis.call('HDEL', KEYS[1], 'offered')
  if wasDry and back > 0 then redis.call('PUBLISH', ARGV[4], 'in_stock ' .. ARGV[5] .. ' ' .. withdrawal.itemId) end
end
if ARGV[3] == 'withdrawn' and withdrawal.userId ~= '' then
  redis.call('HINCRBY', KEYS[4], withdrawal.userId .. ':' .. withdrawal.itemId, #withdrawal.serials)
  redis.call('PEXPIREAT', KEYS[4], sale[2])
end
redis.call('HDEL', KEYS[3], ARGV[2])
return { 'CONCLUDED' }
