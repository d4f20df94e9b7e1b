--[[
  A drain writes back what became of claimed tickets. A ticket that is no longer claimed was settled before and is left alone.

  KEYS  1 sale, 2 queue, 3 status, 4 count, 5 units, 6 claimed, 7 working, then the stock list of every item of the sale
  ARGV  1 epoch of the claim, 2 channel, 3 `<saleId>:<shard>`, 4 number n of items, then n item ids in the order of the stock lists,
        then eight values a ticket: ticket id, outcome, reason, order id, amount in minor units, currency, pay before (epoch ms),
        tokens to drop as `item:serial,item:serial` (held elsewhere, so they must not return to stock)
        outcomes:  ordered    the order is committed: the shopper may pay
                   rejected   no order: tokens back to stock, the ticket ends with the reason
                   requeued   no order yet: tokens back to stock, the ticket goes back to the head of the line

  Answers  {'SETTLED', tickets} | {'STALE'} (the state was built anew since; nothing of this batch belongs to it)
]]
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return { 'STALE' } end
local expireAtMs = redis.call('HGET', KEYS[1], 'expireAtMs')
local n = tonumber(ARGV[4])
local stockOf = {}
for i = 1, n do stockOf[ARGV[4 + i]] = KEYS[7 + i] end

local function giveBack(claim, drop)
  local dropped = {}
  for token in string.gmatch(drop, '[^,]+') do dropped[token] = true end
  for _, line in ipairs(claim.items) do
    local item, stock = line[1], stockOf[line[1]]
    redis.call('HINCRBY', KEYS[5], claim.userId .. ':' .. item, -line[2])
    local wasDry, back = redis.call('LLEN', stock) == 0, 0
    -- Taken from the right in this order, so put back on the right in the reverse one.
    for i = #line[3], 1, -1 do
      if not dropped[item .. ':' .. line[3][i]] then back = redis.call('RPUSH', stock, line[3][i]) end
    end
    redis.call('PEXPIREAT', stock, expireAtMs)
    if wasDry and back > 0 then redis.call('PUBLISH', ARGV[2], 'in_stock ' .. ARGV[3] .. ' ' .. item) end
  end
end

-- The ticket as it may still be settled: not one that ended, or that the shopper replaced, since.
local function liveTicket(claim)
  local stored = redis.call('HGET', KEYS[3], claim.userId)
  local ticket = stored and cjson.decode(stored)
  if ticket and ticket.ticketId == claim.ticketId and (ticket.status == 'queued' or ticket.status == 'reserved') then return ticket end
end

local settled = 0
for at = 5 + n, #ARGV, 8 do
  local ticketId, outcome, reason = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local claimed = redis.call('HGET', KEYS[6], ticketId)
  if claimed then
    local claim = cjson.decode(claimed)
    local ticket = liveTicket(claim)
    if outcome == 'ordered' then
      if ticket then
        redis.call('HSET', KEYS[3], claim.userId, cjson.encode({
          ticketId = ticketId, status = 'awaiting_payment', seq = claim.seq, joinedAtMs = claim.joinedAtMs, orderId = ARGV[at + 3],
          amountMinor = tonumber(ARGV[at + 4]), currency = ARGV[at + 5], payBeforeMs = tonumber(ARGV[at + 6]),
        }))
      end
    else
      giveBack(claim, ARGV[at + 7])
      if ticket and outcome == 'requeued' then
        ticket.status = 'queued'
        redis.call('HSET', KEYS[3], claim.userId, cjson.encode(ticket))
        redis.call('RPUSH', KEYS[2], claim.seq .. ' ' .. claim.userId)
        redis.call('PEXPIREAT', KEYS[2], expireAtMs)
      elseif ticket then
        local status = reason == 'SOLD_OUT' and 'sold_out' or 'rejected'
        redis.call('HSET', KEYS[3], claim.userId, cjson.encode({ ticketId = ticketId, status = status, seq = claim.seq, reason = reason }))
        redis.call('HINCRBY', KEYS[4], claim.userId, -1)
      end
    end
    redis.call('HDEL', KEYS[6], ticketId)
    settled = settled + 1
  end
  redis.call('SREM', KEYS[7], ticketId)
end
return { 'SETTLED', settled }
