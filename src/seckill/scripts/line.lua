--[[
  Looks at a shard for who moves units between shards: what is free here, and who stands by for how much. Writes nothing.

  KEYS  1 sale, 2 queue, 3 status, 4 standby, then the stock list of every item of the sale
  ARGV  1 most tickets to read (500 at most), then the item ids in the order of the stock lists

  Answers  {'LINE', atRest, standby, {free units of each item, …}, {ticket JSON of the first that stand by, …}, {wanted, …}, queued}
                     wanted: of each item, how many ms ago somebody was refused because there was none (-1: never)
                     queued: entries of the queue
                     atRest = 1: nobody is in the queue, and the whole standby line was offered what is free, so nobody here can use it
           {'NOT_LOADED'}
]]
local epoch, onStandby, offered, unjudged = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'onStandby', 'offered', 'unjudged'))
if not epoch then return { 'NOT_LOADED' } end
onStandby = tonumber(onStandby or 0)
local queued = redis.call('LLEN', KEYS[2])
local atRest = queued == 0 and (onStandby == 0 or offered == 'all' and not unjudged)

local free, tickets = {}, {}
for i = 5, #KEYS do free[i - 4] = redis.call('LLEN', KEYS[i]) end
local most = math.min(tonumber(ARGV[1]), 500)
local users = most > 0 and redis.call('ZRANGE', KEYS[4], 0, most - 1) or {}
if #users > 0 then
  for _, ticket in ipairs(redis.call('HMGET', KEYS[3], unpack(users))) do
    if ticket then tickets[#tickets + 1] = ticket end
  end
end

local wanted, time = {}, redis.call('TIME')
for i = 2, #ARGV do
  local wantedMs = redis.call('HGET', KEYS[1], 'wanted:' .. ARGV[i])
  wanted[i - 1] = wantedMs and math.max(0, time[1] * 1000 + math.floor(time[2] / 1000) - wantedMs) or -1
end
return { 'LINE', atRest and 1 or 0, onStandby, free, tickets, wanted, queued }
