--[[
  A drain claims the next tickets of a shard, in the order of their joins, each with all the tokens of its basket. A ticket whose basket
  can't be filled ends as sold out here. One drain at a time works on a shard, by a lease that this step takes and extends.

  KEYS  1 sale, 2 queue, 3 status, 4 count, 5 units, 6 claimed, 7 working, then the stock list of every item of the sale
  ARGV  1 drain id, 2 lease in ms, 3 most tickets (5,000 at most; fewer when their baskets are large), 4 channel, 5 `<saleId>:<shard>`,
        6 run id of the server as the caller knows it, then the item ids in the order of the stock lists

  Answers  {'CLAIMED', epoch, soldOut, {claim JSON, …}, again}
                       again = 1: what an earlier drain left unsettled, which comes first and alone; its orders may exist already
           {'EMPTY'}  nobody waits; the wake-up mark was cleared in the same step
           {'BUSY'}   another drain has the lease
           {'NOT_LOADED'}  also when something has vanished that must be there (a ticket, a claim, a place in the queue): the shard is frozen
                           here, and built anew from MySQL and the tickets
]]
--- @include "freeze"
local most = tonumber(ARGV[3])
if not most or most < 1 or most % 1 ~= 0 then return redis.error_reply('ERR the most tickets must be a positive integer') end
most = math.min(most, 5000) -- unpack() takes less than 8,000 values, and a batch must not hold Redis up
local mostUnits = 20000 -- for the same reason; the ticket that reaches it is the last one of the batch

local sale = redis.call('HMGET', KEYS[1], 'epoch', 'drainId', 'leaseUntilMs', 'expireAtMs', 'rate', 'claimedAtMs', 'served', 'runId',
  'seq', 'inHand', 'again')
if not sale[1] or sale[8] ~= ARGV[6] then return { 'NOT_LOADED' } end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if sale[2] and sale[2] ~= ARGV[1] and nowMs < tonumber(sale[3]) then return { 'BUSY' } end
redis.call('HSET', KEYS[1], 'drainId', ARGV[1], 'leaseUntilMs', nowMs + ARGV[2])

local function contradiction(why)
  freeze(KEYS[1], why)
  return { 'NOT_LOADED' }
end

local seq, served = tonumber(sale[9]), tonumber(sale[7])
local inHand, again = tonumber(sale[10] or 0), tonumber(sale[11] or 0) -- again: entries that went back to the head of the queue
if redis.call('SCARD', KEYS[7]) ~= inHand then return contradiction('batch in hand missing') end
if inHand > 0 then
  local unsettled = redis.call('SRANDMEMBER', KEYS[7], most)
  local left = redis.call('HMGET', KEYS[6], unpack(unsettled))
  for i = 1, #unsettled do
    if not left[i] then return contradiction('claim missing') end
  end
  return { 'CLAIMED', sale[1], 0, left, 1 }
end

local entries = redis.call('RPOP', KEYS[2], most)
if not entries then
  if served ~= seq or again ~= 0 then return contradiction('queue missing') end
  redis.call('HDEL', KEYS[1], 'waking', 'drainId', 'leaseUntilMs', 'claimedAtMs')
  return { 'EMPTY' }
end

local seqs, users = {}, {}
local newest = served
for i, entry in ipairs(entries) do
  local place, user = string.match(entry, '^(%d+) (.+)$')
  seqs[i], users[i] = tonumber(place), user
  -- Every join has left an entry, so that they come without a gap behind those that went back.
  if seqs[i] > newest + 1 then return contradiction('entries of the queue missing') end
  newest = math.max(newest, seqs[i])
end
local stored = redis.call('HMGET', KEYS[3], unpack(users))

local stockOf, left = {}, {}
for i = 7, #ARGV do
  stockOf[ARGV[i]] = KEYS[1 + i]
  left[ARGV[i]] = redis.call('LLEN', KEYS[1 + i])
end

-- Takes the basket's tokens, or none of them.
local function take(user, ticket)
  for _, line in ipairs(ticket.items) do
    if (left[line[1]] or 0) < line[2] then return nil end
  end
  local claim = { ticketId = ticket.ticketId, userId = user, seq = ticket.seq, joinedAtMs = ticket.joinedAtMs, items = {} }
  for i, line in ipairs(ticket.items) do
    local item, quantity = line[1], line[2]
    claim.items[i] = { item, quantity, redis.call('RPOP', stockOf[item], quantity) }
    redis.call('HINCRBY', KEYS[5], user .. ':' .. item, quantity)
    left[item] = left[item] - quantity
    if left[item] == 0 then redis.call('PUBLISH', ARGV[4], 'sold_out ' .. ARGV[5] .. ' ' .. item) end
  end
  return cjson.encode(claim)
end

local claims, soldOut, units, last = {}, 0, 0, #entries
for i, user in ipairs(users) do
  if not stored[i] then return contradiction('ticket missing') end
  local ticket = cjson.decode(stored[i])
  -- An entry whose ticket was left, or replaced by a later one, is stale.
  if ticket.seq == seqs[i] then
    local claim
    if ticket.status == 'reserved' then
      claim = redis.call('HGET', KEYS[6], ticket.ticketId)
      if not claim then return contradiction('reservation missing') end
    elseif ticket.status == 'queued' then
      claim = take(user, ticket)
      if claim then
        redis.call('HSET', KEYS[6], ticket.ticketId, claim)
      else
        local ended = { ticketId = ticket.ticketId, status = 'sold_out', seq = ticket.seq, reason = 'SOLD_OUT' }
        redis.call('HSET', KEYS[3], user, cjson.encode(ended))
        if redis.call('HINCRBY', KEYS[4], user, -1) < 0 then return contradiction('count missing') end
        soldOut = soldOut + 1
      end
    end
    if claim then
      redis.call('SADD', KEYS[7], ticket.ticketId)
      claims[#claims + 1] = claim
      for _, line in ipairs(ticket.items) do units = units + line[2] end
    end
  end
  if seqs[i] <= served then again = again - 1 end
  if units >= mostUnits then
    last = i
    break
  end
end
for i = #entries, last + 1, -1 do redis.call('RPUSH', KEYS[2], entries[i]) end
redis.call('PEXPIREAT', KEYS[2], sale[4])

-- How fast the line moves, for the shoppers' ETA: entries per second, smoothed over the last few claims.
local rate = tonumber(sale[5] or 0)
if sale[6] and nowMs > tonumber(sale[6]) then
  local latest = last * 1000 / (nowMs - tonumber(sale[6]))
  rate = rate == 0 and latest or 0.7 * rate + 0.3 * latest
end
-- A ticket that went back to the head of the line does not turn the count back.
redis.call('HSET', KEYS[1], 'served', math.max(served, seqs[last]), 'rate', rate, 'claimedAtMs', nowMs, 'inHand', #claims, 'again', again)
for i = 5, 7 do redis.call('PEXPIREAT', KEYS[i], sale[4]) end
return { 'CLAIMED', sale[1], soldOut, claims, 0 }
