--[[
  Looks at a shard from outside: whether a drain has to be woken for it, and whether its keys still fit together. A shard that lost one of
  them is frozen, and so is built anew from MySQL and its tickets.

  KEYS  1 sale, 2 goods, 3 queue, 4 status, 5 count, 6 claimed, 7 working

  Answers  {'AT_REST'}    nobody waits, or a drain is at work
           {'FORGOTTEN'}  tickets wait to be decided, and no drain has the lease
           {'FROZEN', what is missing} | {'NOT_LOADED'}
]]
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'mode', 'seq', 'served', 'leaseUntilMs')
if not sale[1] then return { 'NOT_LOADED' } end
local joined, ahead = tonumber(sale[3] or 0), tonumber(sale[3] or 0) - tonumber(sale[4] or 0)
local exists = {}
for i = 2, 5 do exists[i] = redis.call('EXISTS', KEYS[i]) == 1 end
local waiting, claimed, working = redis.call('LLEN', KEYS[3]), redis.call('HLEN', KEYS[6]), redis.call('SCARD', KEYS[7])

local missing
if not exists[2] then missing = 'goods'
elseif not exists[4] and (exists[5] or joined > 0) then missing = 'status'
elseif not exists[5] and joined > 0 then missing = 'count'
-- Every ticket that was not served yet has its entry; entries of tickets that were left may stand there besides.
elseif waiting < ahead then missing = 'queue'
elseif working > claimed then missing = 'claimed'
-- What is claimed is in a drain's hands; in mode `instant` it may also still stand in the queue.
elseif claimed > working + (sale[2] == 'instant' and waiting or 0) then missing = 'working' end
if missing then
  redis.call('HDEL', KEYS[1], 'epoch')
  redis.call('HSET', KEYS[1], 'frozenFor', missing .. ' missing')
  return { 'FROZEN', missing }
end

local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if waiting + working > 0 and tonumber(sale[5] or 0) < nowMs then return { 'FORGOTTEN' } end
return { 'AT_REST' }
