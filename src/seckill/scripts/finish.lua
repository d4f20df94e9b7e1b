--[[
  Writes to a ticket what became of its order: paid, expired, cancelled. May be repeated, and may come before the ticket was settled.

  KEYS  1 sale, 2 status, 3 count
  ARGV  1 epoch, 2 user id, 3 ticket id, 4 status, 5 reason ('' for none), 6 order id, 7 amount in minor units, 8 currency,
        9 `<saleId>:<shard>`

  Answers  {'FINISHED'} | {'OTHER_TICKET'} (the shopper has joined again, or has none) | {'STALE'}
]]
--- @include "freeze"
--- @include "hint"
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return { 'STALE' } end
local stored = redis.call('HGET', KEYS[2], ARGV[2])
local ticket = stored and cjson.decode(stored)
if not ticket or ticket.id ~= ARGV[3] then return { 'OTHER_TICKET' } end

local wasLive = ticket.status == 'queued' or ticket.status == 'reserved' or ticket.status == 'standby' or ticket.status == 'awaiting_payment'
ticket.status = ARGV[4]
ticket.items = nil
ticket.reason = ARGV[5] ~= '' and ARGV[5] or nil
-- The amount stays text: cjson writes numbers with 14 digits.
ticket.orderId, ticket.amountMinor, ticket.currency = ARGV[6], ARGV[7], ARGV[8]
redis.call('HSET', KEYS[2], ARGV[2], cjson.encode(ticket))
if wasLive and redis.call('HINCRBY', KEYS[3], ARGV[2], -1) < 0 then
  freeze(KEYS[1], 'count missing')
end
hint(ARGV[9], { ARGV[2] })
return { 'FINISHED' }
