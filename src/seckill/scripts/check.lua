--[[
  Looks at a shard from outside: whether a drain has to be woken for it, and whether its keys still fit together. A shard that lost one of
  them is frozen, and so is built anew from MySQL and its tickets.

  KEYS  1 sale, 2 goods, 3 queue, 4 status, 5 count, 6 claimed, 7 working, 8 standby

  Answers  {'AT_REST'}    nobody waits, or a drain is at work
           {'FORGOTTEN'}  tickets wait to be decided, or stand by for units that nobody offered them, or above a limit that fell,
                          and no drain has the lease
           {'FROZEN', what is missing} | {'NOT_LOADED'}
]]
--- @include "freeze"
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'mode', 'seq', 'served', 'leaseUntilMs', 'inHand', 'again', 'expireAtMs', 'onStandby', 'offered',
  'state', 'endsAtMs', 'claims', 'unjudged')
if not sale[1] then return { 'NOT_LOADED' } end
local joined, served, inHand, again = tonumber(sale[3]), tonumber(sale[4]), tonumber(sale[6] or 0), tonumber(sale[7] or 0)
local onStandby = tonumber(sale[9] or 0)
local waiting, claimed, working = redis.call('LLEN', KEYS[3]), redis.call('HLEN', KEYS[6]), redis.call('SCARD', KEYS[7])
local tickets, counts = redis.call('HLEN', KEYS[4]), redis.call('HLEN', KEYS[5])

local missing
if redis.call('EXISTS', KEYS[2]) == 0 then missing = 'goods'
-- Who is counted has a ticket, and both stay while the sale is kept.
elseif tickets < counts or joined > 0 and tickets == 0 then missing = 'status'
elseif joined > 0 and counts == 0 then missing = 'count'
-- Every ticket that was not served yet has its entry, and every one that went back.
elseif waiting < joined - served + again then missing = 'queue'
elseif working ~= inHand then missing = 'working'
elseif redis.call('ZCARD', KEYS[8]) ~= onStandby then missing = 'standby'
-- In mode `instant` a ticket has its claim already while it waits.
elseif claimed < inHand or claimed > inHand + (sale[2] == 'instant' and waiting or 0) then missing = 'claimed' end
if missing then
  freeze(KEYS[1], missing .. ' missing')
  return { 'FROZEN', missing }
end

-- A key that was lost and has come back has no expiry.
for i = 4, 5 do
  if redis.call('PTTL', KEYS[i]) == -1 then redis.call('PEXPIREAT', KEYS[i], sale[8]) end
end

local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
-- What an operator stopped waits for the operator; only a batch in hand is always brought to its end.
local isStopped = sale[11] == 'paused' and sale[13] == 'stopped'
local isOver = sale[11] == 'ended' or nowMs >= tonumber(sale[12])
if onStandby > 0 and (isOver or sale[10] ~= 'all' or sale[14]) then waiting = waiting + onStandby end
if isStopped and not isOver then waiting = 0 end
if waiting + working > 0 and tonumber(sale[5] or 0) < nowMs then return { 'FORGOTTEN' } end
return { 'AT_REST' }
