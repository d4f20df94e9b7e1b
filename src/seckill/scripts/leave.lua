--[[
  A shopper leaves the queue or the standby line, as long as no drain has claimed the ticket. The entry in the queue goes stale and is
  skipped later.

  KEYS  1 sale, 2 status, 3 count, 4 standby
  ARGV  1 user id, 2 `<saleId>:<shard>`

  Answers  {'LEFT'} (also when already left) | {'NO_TICKET'} | {'CLAIMED', status} | {'NOT_LOADED'}
]]
--- @include "freeze"
--- @include "hint"
local epoch, served = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'served'))
if not epoch then return { 'NOT_LOADED' } end
local stored = redis.call('HGET', KEYS[2], ARGV[1])
if not stored then return { 'NO_TICKET' } end
local ticket = cjson.decode(stored)
if ticket.status == 'left' then return { 'LEFT' } end
if ticket.status == 'standby' then
  if redis.call('ZREM', KEYS[4], ARGV[1]) == 0 then return { 'CLAIMED', ticket.status } end
  redis.call('HINCRBY', KEYS[1], 'onStandby', -1)
elseif ticket.status ~= 'queued' or ticket.seq <= tonumber(served) then
  return { 'CLAIMED', ticket.status }
end

redis.call('HSET', KEYS[2], ARGV[1], cjson.encode({ id = ticket.id, status = 'left', seq = ticket.seq, reason = 'LEFT_BY_SHOPPER' }))
if redis.call('HINCRBY', KEYS[3], ARGV[1], -1) < 0 then
  freeze(KEYS[1], 'count missing')
end
hint(ARGV[2], { ARGV[1] })
return { 'LEFT' }
