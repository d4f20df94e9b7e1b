--[[
  A drain claims the next tickets of a shard, in the order of their joins, each with all the tokens of its basket. A ticket whose basket
  can't be filled stands by from here on, where the sale has a standby line with room, and ends as sold out otherwise. One drain at a time
  works on a shard, by a lease that this step takes and extends.

  Who stands by comes before who is in the queue: free units are offered to the standby line in its order, and a basket that they can't fill
  is passed over and keeps its place. `offered` remembers how far that went, as the line may be longer than one step may take; every token
  that comes back clears it. When the sale is over the line ends as sold out; so do those who stood by
  before the state was built anew, and are in the queue since (`stoodBy`).

  Where a limit fell (`limitsFell`), a queued ticket is judged by it again when its turn comes, and ends as rejected. The standby line, of
  which nobody's turn may come, is gone through once for that; `unjudged` is how far.

  KEYS  1 sale, 2 queue, 3 status, 4 count, 5 units, 6 claimed, 7 working, 8 standby, then the stock list of every item of the sale
  ARGV  1 drain id, 2 lease in ms, 3 most tickets (5,000 at most; fewer when their baskets are large), 4 channel, 5 `<saleId>:<shard>`,
        6 run id of the server as the caller knows it, 7 how many tickets the caller has in hand and goes on with while it claims (0: none,
        so that whatever is in hand was left by somebody), then the item ids in the order of the stock lists

  Answers  {'CLAIMED', epoch, soldOut, {claim JSON, …}, again, standby, rejected}
                       there may be more; soldOut, standby, rejected: how many tickets ended so, or stand by from now on
                       again = 1: what an earlier drain left unsettled, which comes first and alone; its orders may exist already
           {'EMPTY'}    nobody waits; the wake-up mark was cleared and the lease given up in the same step, unless the caller has tickets in
                        hand: then it has to claim once more when they are settled
           {'STOPPED'}  the sale is paused, and its operator has stopped the claims; only a batch in hand is still handed out
           {'BUSY'}     another drain has the lease, or has had it, and what the caller had in hand is in hand no more
           {'NOT_LOADED'}  also when something has vanished that must be there (a ticket, a claim, a place in the queue): the shard is frozen
                           here, and built anew from MySQL and the tickets
]]
--- @include "bulk"
--- @include "freeze"
--- @include "hint"
local most = tonumber(ARGV[3])
if not most or most < 1 or most % 1 ~= 0 then return redis.error_reply('ERR the most tickets must be a positive integer') end
most = math.min(most, 5000) -- unpack() takes less than 8,000 values, and a batch must not hold Redis up
local mostUnits = 20000 -- for the same reason; the ticket that reaches it is the last one of the batch

local sale = redis.call('HMGET', KEYS[1], 'epoch', 'drainId', 'leaseUntilMs', 'expireAtMs', 'rate', 'claimedAtMs', 'served', 'runId',
  'seq', 'inHand', 'again', 'state', 'endsAtMs', 'claims', 'standbyLimit', 'onStandby', 'offered', 'limitsFell', 'unjudged')
if not sale[1] or sale[8] ~= ARGV[6] then return { 'NOT_LOADED' } end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if sale[2] and sale[2] ~= ARGV[1] and nowMs < tonumber(sale[3]) then return { 'BUSY' } end
local mine, inHand = tonumber(ARGV[7]), tonumber(sale[10] or 0)
if mine > 0 and (sale[2] ~= ARGV[1] or inHand ~= mine) then return { 'BUSY' } end
redis.call('HSET', KEYS[1], 'drainId', ARGV[1], 'leaseUntilMs', nowMs + ARGV[2])

local function contradiction(why)
  freeze(KEYS[1], why)
  return { 'NOT_LOADED' }
end

local seq, served = tonumber(sale[9]), tonumber(sale[7])
local isOver = sale[12] == 'ended' or nowMs >= tonumber(sale[13])
local standbyLimit, onStandby = tonumber(sale[15] or 0), tonumber(sale[16] or 0)
local again = tonumber(sale[11] or 0) -- entries that went back to the head of the queue
if redis.call('SCARD', KEYS[7]) ~= inHand then return contradiction('batch in hand missing') end
if inHand > mine then
  local unsettled = redis.call('SRANDMEMBER', KEYS[7], most)
  local left = redis.call('HMGET', KEYS[6], unpack(unsettled))
  for i = 1, #unsettled do
    if not left[i] then return contradiction('claim missing') end
  end
  return { 'CLAIMED', sale[1], 0, left, 1, 0, 0 }
end
if redis.call('ZCARD', KEYS[8]) ~= onStandby then return contradiction('standby missing') end

local function rest(why)
  if mine == 0 then redis.call('HDEL', KEYS[1], 'waking', 'drainId', 'leaseUntilMs', 'claimedAtMs') end
  return { why }
end
if sale[12] == 'paused' and sale[14] == 'stopped' and not isOver then return rest('STOPPED') end

local stockOf, left = {}, {}
for i = 8, #ARGV do
  stockOf[ARGV[i]] = KEYS[1 + i]
  left[ARGV[i]] = redis.call('LLEN', KEYS[1 + i])
end

local written = {} -- tickets that get their tokens here, and their claims
-- Takes the basket's tokens for a ticket, or none of them.
local function take(user, ticket)
  for _, line in ipairs(ticket.items) do
    if (left[line[1]] or 0) < line[2] then return nil end
  end
  local claim = { ticketId = ticket.id, userId = user, seq = ticket.seq, joinedAtMs = ticket.joinedAtMs, items = {} }
  for i, line in ipairs(ticket.items) do
    local item, quantity = line[1], line[2]
    claim.items[i] = { item, quantity, redis.call('RPOP', stockOf[item], quantity) }
    redis.call('HINCRBY', KEYS[5], user .. ':' .. item, quantity)
    left[item] = left[item] - quantity
    if left[item] == 0 and standbyLimit == 0 then redis.call('PUBLISH', ARGV[4], 'sold_out ' .. ARGV[5] .. ' ' .. item) end
  end
  local json = cjson.encode(claim)
  written[#written + 1] = ticket.id
  written[#written + 1] = json
  return json
end

local changed = {}
-- False when the shard contradicts itself.
local function endAs(status, reason, user, ticket)
  changed[#changed + 1] = user
  redis.call('HSET', KEYS[3], user, cjson.encode({ id = ticket.id, status = status, seq = ticket.seq, reason = reason }))
  return redis.call('HINCRBY', KEYS[4], user, -1) >= 0
end

-- The last unit of another shard moves to where one was asked for in vain (docs/decisions/0022).
local wanted = {}
local function noteWish(ticket)
  for _, line in ipairs(ticket.items) do
    local item = line[1]
    if left[item] == 0 and not wanted[item] then wanted[item] = redis.call('HSET', KEYS[1], 'wanted:' .. item, nowMs) end
  end
end

local limitOf = nil -- only while it may be lower than at the join
if sale[18] then
  local fields = {}
  for i = 8, #ARGV do fields[i - 7] = 'limit:' .. ARGV[i] end
  limitOf = {}
  for i, limit in ipairs(redis.call('HMGET', KEYS[1], unpack(fields))) do limitOf[ARGV[7 + i]] = tonumber(limit or 0) end
end
local function isAboveLimit(user, ticket)
  if not limitOf then return false end
  local fields = {}
  for i, line in ipairs(ticket.items) do fields[i] = user .. ':' .. line[1] end
  local held = redis.call('HMGET', KEYS[5], unpack(fields))
  for i, line in ipairs(ticket.items) do
    if tonumber(held[i] or 0) + line[2] > (limitOf[line[1]] or 0) then return true end
  end
  return false
end

local claims, ids, soldOut, units, stoodBy, rejected = {}, {}, 0, 0, 0, 0
local function inHandNow(ticket, claim)
  ids[#ids + 1] = ticket.id
  claims[#claims + 1] = claim
  for _, line in ipairs(ticket.items) do units = units + line[2] end
end
local function claimed()
  bulk('HSET', KEYS[6], written)
  bulk('SADD', KEYS[7], ids)
  hint(ARGV[5], changed)
  for i = 5, 8 do redis.call('PEXPIREAT', KEYS[i], sale[4]) end
  return { 'CLAIMED', sale[1], soldOut, claims, 0, stoodBy, rejected }
end

-- The tickets of users who stand by; nil when one is missing.
local function standbyTickets(users)
  local tickets, stored = {}, redis.call('HMGET', KEYS[3], unpack(users))
  for i in ipairs(users) do
    if not stored[i] then return nil end
    tickets[i] = cjson.decode(stored[i])
    if tickets[i].status ~= 'standby' then return nil end
  end
  return tickets
end

if onStandby > 0 and isOver then
  local ended = redis.call('ZPOPMIN', KEYS[8], most)
  local users = {}
  for i = 1, #ended, 2 do users[#users + 1] = ended[i] end
  local tickets = standbyTickets(users)
  if not tickets then return contradiction('ticket on standby missing') end
  for i, user in ipairs(users) do
    if not endAs('sold_out', 'SOLD_OUT', user, tickets[i]) then return contradiction('count missing') end
  end
  soldOut = #users
  redis.call('HINCRBY', KEYS[1], 'onStandby', -soldOut)
  return claimed()
end

if sale[19] then
  local users = redis.call('ZRANGE', KEYS[8], '(' .. sale[19], '+inf', 'BYSCORE', 'LIMIT', 0, most)
  local tickets = #users == 0 and {} or standbyTickets(users)
  if not tickets then return contradiction('ticket on standby missing') end
  for i, user in ipairs(users) do
    if isAboveLimit(user, tickets[i]) then
      if not endAs('rejected', 'LIMIT_REACHED', user, tickets[i]) then return contradiction('count missing') end
      rejected = rejected + redis.call('ZREM', KEYS[8], user)
    end
  end
  if #users < most then redis.call('HDEL', KEYS[1], 'unjudged') else redis.call('HSET', KEYS[1], 'unjudged', tickets[#users].seq) end
  if rejected > 0 then redis.call('HINCRBY', KEYS[1], 'onStandby', -rejected) end
  if #users > 0 then return claimed() end
end

local function isAnythingFree()
  for _, free in pairs(left) do
    if free > 0 then return true end
  end
  return false
end

if onStandby > 0 and sale[17] ~= 'all' then
  local users, offered = {}, sale[17] or '-inf'
  if isAnythingFree() then users = redis.call('ZRANGE', KEYS[8], sale[17] and '(' .. sale[17] or '-inf', '+inf', 'BYSCORE', 'LIMIT', 0, most) end
  local tickets = #users == 0 and {} or standbyTickets(users)
  if not tickets then return contradiction('ticket on standby missing') end
  local isThrough = #users < most
  for i, user in ipairs(users) do
    if units >= mostUnits then
      isThrough = false
      break
    end
    local claim = take(user, tickets[i])
    if claim then
      redis.call('ZREM', KEYS[8], user)
      inHandNow(tickets[i], claim)
      if not isAnythingFree() then
        isThrough = true
        break
      end
    end
    offered = tickets[i].seq
  end
  redis.call('HSET', KEYS[1], 'offered', isThrough and 'all' or offered, 'inHand', mine + #claims)
  if #claims > 0 then redis.call('HINCRBY', KEYS[1], 'onStandby', -#claims) end
  if #claims > 0 or not isThrough then return claimed() end
end

local entries = redis.call('RPOP', KEYS[2], most)
if not entries then
  if served ~= seq or again ~= 0 then return contradiction('queue missing') end
  return rest('EMPTY')
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

local last = #entries
for i, user in ipairs(users) do
  if not stored[i] then return contradiction('ticket missing') end
  local ticket = cjson.decode(stored[i])
  -- An entry whose ticket was left, or replaced by a later one, is stale.
  if ticket.seq == seqs[i] then
    local claim
    if ticket.status == 'reserved' then
      claim = redis.call('HGET', KEYS[6], ticket.id)
      if not claim then return contradiction('reservation missing') end
    elseif ticket.status == 'queued' and isAboveLimit(user, ticket) then
      if not endAs('rejected', 'LIMIT_REACHED', user, ticket) then return contradiction('count missing') end
      rejected = rejected + 1
    elseif ticket.status == 'queued' then
      claim = not (isOver and ticket.stoodBy) and take(user, ticket)
      if not claim and onStandby + stoodBy < standbyLimit and not isOver then
        ticket.status = 'standby'
        redis.call('HSET', KEYS[3], user, cjson.encode(ticket))
        redis.call('ZADD', KEYS[8], ticket.seq, user)
        stoodBy = stoodBy + 1
        changed[#changed + 1] = user
      elseif not claim then
        noteWish(ticket)
        if not endAs('sold_out', 'SOLD_OUT', user, ticket) then return contradiction('count missing') end
        soldOut = soldOut + 1
      end
    end
    if claim then inHandNow(ticket, claim) end
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
redis.call('HSET', KEYS[1], 'served', math.max(served, seqs[last]), 'rate', rate, 'claimedAtMs', nowMs, 'inHand', mine + #claims, 'again', again)
if stoodBy > 0 then redis.call('HINCRBY', KEYS[1], 'onStandby', stoodBy) end
return claimed()
