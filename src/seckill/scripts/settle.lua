--[[
  A drain writes back what became of claimed tickets. A ticket that is no longer claimed was settled before and is left alone. Only the
  drain that has the lease may: one that lost it may know less than the drain that took the tickets over.

  KEYS  1 sale, 2 queue, 3 status, 4 count, 5 units, 6 claimed, 7 working, 8 standby, then the stock list of every item of the sale
  ARGV  1 epoch of the claim, 2 drain id, 3 channel, 4 `<saleId>:<shard>`, 5 what became of the tickets: a JSON array with one array a ticket
        (in one argument, since thousands of small ones cost the drain more than all else of a settle), then the item ids in the order of
        the stock lists. A ticket's values: ticket id, outcome, reason, tokens to drop as `item:serial,item:serial` (held elsewhere, so
        they must not return to stock), order id, amount in minor units as text, currency, pay before (epoch ms)
        outcomes:  ordered    the order is committed: the shopper may pay
                   rejected   no order: tokens back to stock, the ticket ends with the reason
                   requeued   no order yet: tokens back to stock, the ticket goes back to its place at the head of the queue, or in the
                              standby line

  Answers  {'SETTLED', tickets} | {'NOT_OURS'} (another drain, or none, has the lease)
           {'STALE'} (the state was built anew since; nothing of this batch belongs to it. Or it is going to be: a claim that must be there
                     is gone, for which the shard is frozen here)
]]
--- @include "bulk"
--- @include "freeze"
--- @include "hint"
local epoch, drainId, expireAtMs = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'drainId', 'expireAtMs'))
if epoch ~= ARGV[1] then return { 'STALE' } end
if drainId ~= ARGV[2] then return { 'NOT_OURS' } end
local stockOf = {}
for i = 6, #ARGV do stockOf[ARGV[i]] = KEYS[3 + i] end

local function giveBack(claim, drop)
  redis.call('HDEL', KEYS[1], 'offered')
  local dropped = {}
  for token in string.gmatch(drop, '[^,]+') do dropped[token] = (dropped[token] or 0) + 1 end
  for _, line in ipairs(claim.items) do
    local item, stock = line[1], stockOf[line[1]]
    redis.call('HINCRBY', KEYS[5], claim.userId .. ':' .. item, -line[2])
    local wasDry, back = redis.call('LLEN', stock) == 0, 0
    -- Taken from the right in this order, so put back on the right in the reverse one.
    for i = #line[3], 1, -1 do
      local token = item .. ':' .. line[3][i]
      if (dropped[token] or 0) > 0 then
        dropped[token] = dropped[token] - 1
      else
        back = redis.call('RPUSH', stock, line[3][i])
      end
    end
    redis.call('PEXPIREAT', stock, expireAtMs)
    if wasDry and back > 0 then redis.call('PUBLISH', ARGV[3], 'in_stock ' .. ARGV[4] .. ' ' .. item) end
  end
end

-- Puts entries back to the head of the line, in the order of the joins also among those that went back before.
local function queueAgain(entries)
  if #entries == 0 then return end
  local function seqOf(entry) return entry and tonumber(string.match(entry, '^%d+')) end
  local latest = seqOf(entries[1])
  local head = redis.call('LINDEX', KEYS[2], -1)
  while head and seqOf(head) < latest do
    entries[#entries + 1] = redis.call('RPOP', KEYS[2])
    head = redis.call('LINDEX', KEYS[2], -1)
  end
  table.sort(entries, function(a, b) return seqOf(a) > seqOf(b) end)
  for _, entry in ipairs(entries) do redis.call('RPUSH', KEYS[2], entry) end
  redis.call('PEXPIREAT', KEYS[2], expireAtMs)
end

-- The ticket as it may still be settled: not one that ended, or that the shopper replaced, since.
local function liveTicket(stored, claim)
  local ticket = stored and cjson.decode(stored)
  if ticket and ticket.id == claim.ticketId and (ticket.status == 'queued' or ticket.status == 'reserved' or ticket.status == 'standby') then return ticket end
end

local told, ids = {}, {}
for _, values in ipairs(cjson.decode(ARGV[5])) do
  -- A ticket that is named twice is settled once.
  if not told[values[1]] then ids[#ids + 1] = values[1] end
  told[values[1]] = values
end
if #ids == 0 then return { 'SETTLED', 0 } end
local claims, batch = bulk('HMGET', KEYS[6], ids), {}
for i, id in ipairs(ids) do
  if claims[i] then
    batch[#batch + 1] = cjson.decode(claims[i])
  elseif redis.call('SISMEMBER', KEYS[7], id) == 1 then
    freeze(KEYS[1], 'claim missing')
    return { 'STALE' }
  end
end
if #batch == 0 then return { 'SETTLED', 0 } end
bulk('HDEL', KEYS[6], ids)
local done = bulk('SREM', KEYS[7], ids)
if done > 0 then redis.call('HINCRBY', KEYS[1], 'inHand', -done) end
-- The latest join first: so what goes back on the right stands there in its old order.
table.sort(batch, function(a, b) return a.seq > b.seq end)

local users = {}
for i, claim in ipairs(batch) do users[i] = claim.userId end
local stored = bulk('HMGET', KEYS[3], users)

local again, statuses = {}, {}
for i, claim in ipairs(batch) do
  local _, outcome, reason, drop, orderId, amountMinor, currency, payBeforeMs = unpack(told[claim.ticketId])
  local ticket = liveTicket(stored[i], claim)
  if outcome == 'ordered' then
    if ticket then
      statuses[#statuses + 1] = claim.userId
      -- The amount stays text: cjson writes numbers with 14 digits.
      statuses[#statuses + 1] = cjson.encode({
        id = claim.ticketId, status = 'awaiting_payment', seq = claim.seq, joinedAtMs = claim.joinedAtMs, orderId = orderId,
        amountMinor = amountMinor, currency = currency, payBeforeMs = payBeforeMs,
      })
    end
  else
    giveBack(claim, drop)
    if ticket and outcome == 'requeued' and ticket.status == 'standby' then
      redis.call('HINCRBY', KEYS[1], 'onStandby', redis.call('ZADD', KEYS[8], ticket.seq, claim.userId))
      redis.call('PEXPIREAT', KEYS[8], expireAtMs)
    elseif ticket and outcome == 'requeued' then
      ticket.status = 'queued'
      redis.call('HSET', KEYS[3], claim.userId, cjson.encode(ticket))
      again[#again + 1] = claim.seq .. ' ' .. claim.userId
    elseif ticket then
      local status = reason == 'SOLD_OUT' and 'sold_out' or 'rejected'
      redis.call('HSET', KEYS[3], claim.userId, cjson.encode({ id = claim.ticketId, status = status, seq = claim.seq, reason = reason }))
      if redis.call('HINCRBY', KEYS[4], claim.userId, -1) < 0 then freeze(KEYS[1], 'count missing') end
    end
  end
end
bulk('HSET', KEYS[3], statuses)
if #again > 0 then redis.call('HINCRBY', KEYS[1], 'again', #again) end
queueAgain(again)
hint(ARGV[4], users)
return { 'SETTLED', #batch }
