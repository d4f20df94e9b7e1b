--[[
  A shopper joins a sale: everything is judged first, by Redis time, and only then is anything written.

  KEYS  1 sale, 2 status, 3 count, 4 units, 5 queue, 6 claimed, then the stock list of each line of the basket,
        then, where the call has an idempotency key, the one under which its answer is kept
  ARGV  1 ticket id, 2 user id, 3 channel, 4 `<saleId>:<shard>`, 5 run id of the server as the caller knows it,
        6 digest of the basket where the call has an idempotency key, else '', then item id and quantity of each line

  Answers  {'QUEUED', position, wake, rate, ticket id}    wake = 1: the shard's drain has to be signalled; rate: tickets/s it lately decided
           {'RESERVED', position, wake, rate, ticket id}  mode `instant`: the tokens were taken in this step
           A sale with a standby line queues also who can't be served just now, as long as the line has room; the drain gives them their
           place in it. In mode `instant` it queues everybody behind them, too, so that nobody overtakes.
           {'KEY_REUSED'}  the idempotency key was used for another basket
           refusals, of which the first that applies is answered:
           {'NOT_LOADED'} {'ENDED'} {'NOT_STARTED', startsAtMs} {'PAUSED'} {'ITEM_NOT_FOUND', item} or {'INVALID_BASKET', item}
           {'UNPAID_ORDER'} or {'ALREADY_QUEUED'} {'LIMIT_REACHED', item, limit} {'SOLD_OUT', item, left}

  A call that the client library sends again (same ticket id) is answered as the first time and counts once. That holds for its wake-up,
  too: the answer that got lost may have been the one that asked for it. So `waking` keeps the sequence number of the ticket that did.
  A call with the idempotency key of an earlier one that joined gets that one's answer again, for a day. A refusal is judged anew.
]]
--- @include "freeze"
local ticketId, user = ARGV[1], ARGV[2]
local lines = (#ARGV - 6) / 2
local answerKey = ARGV[6] ~= '' and KEYS[7 + lines]
local ANSWER_TTL_MS = 24 * 3600 * 1000

local fields = { 'epoch', 'state', 'startsAtMs', 'endsAtMs', 'mode', 'served', 'waking', 'expireAtMs', 'rate', 'runId', 'standbyLimit', 'onStandby', 'queuedUpTo' }
local FIXED = #fields
local unitFields = {}
for i = 1, lines do
  fields[FIXED + i] = 'limit:' .. ARGV[5 + 2 * i]
  unitFields[i] = user .. ':' .. ARGV[5 + 2 * i]
end
local sale = redis.call('HMGET', KEYS[1], unpack(fields))
-- A server that restarted, or took over, may have fallen back a little: its state is built anew before anyone relies on it.
if not sale[1] or sale[10] ~= ARGV[5] then return { 'NOT_LOADED' } end
local instant, served = sale[5] == 'instant', tonumber(sale[6])
local standbyLimit, onStandby, queuedUpTo = tonumber(sale[11] or 0), tonumber(sale[12] or 0), tonumber(sale[13] or 0)

local kept = answerKey and redis.call('GET', answerKey)
if kept then
  local first = cjson.decode(kept)
  return first.digest == ARGV[6] and first.answer or { 'KEY_REUSED' }
end

local stored = redis.call('HGET', KEYS[2], user)
local held = stored and cjson.decode(stored)
if held and held.ticketId == ticketId then
  local wake = sale[7] and tonumber(sale[7]) == held.seq and 1 or 0
  local isQueued = not instant or held.status == 'queued' or held.status == 'standby'
  return { isQueued and 'QUEUED' or 'RESERVED', math.max(1, held.seq - served), wake, sale[9] or '0', ticketId }
end

local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if sale[2] == 'ended' or nowMs >= tonumber(sale[4]) then return { 'ENDED' } end
if nowMs < tonumber(sale[3]) then return { 'NOT_STARTED', sale[3] } end
if sale[2] == 'paused' then return { 'PAUSED' } end

local quantities, seen = {}, {}
for i = 1, lines do
  local item, quantity = ARGV[5 + 2 * i], tonumber(ARGV[6 + 2 * i])
  if not sale[FIXED + i] then return { 'ITEM_NOT_FOUND', item } end
  if not quantity or quantity < 1 or quantity % 1 ~= 0 or seen[item] then return { 'INVALID_BASKET', item } end
  quantities[i], seen[item] = quantity, true
end
if lines < 1 then return { 'INVALID_BASKET', '' } end

local live = tonumber(redis.call('HGET', KEYS[3], user) or 0)
local LIVE = { queued = true, reserved = true, standby = true, awaiting_payment = true }
if (live > 0) ~= (held and LIVE[held.status] or false) then
  -- One of the two was lost, and would let the shopper in twice, or never again: the shard is built anew from MySQL and the tickets.
  freeze(KEYS[1], 'count and ticket of a shopper differ')
  return { 'NOT_LOADED' }
end
if live > 0 then return { held.status == 'awaiting_payment' and 'UNPAID_ORDER' or 'ALREADY_QUEUED' } end

local units = redis.call('HMGET', KEYS[4], unpack(unitFields))
for i = 1, lines do
  local limit = tonumber(sale[FIXED + i])
  if tonumber(units[i] or 0) + quantities[i] > limit then return { 'LIMIT_REACHED', ARGV[5 + 2 * i], limit } end
end
local isShort = false
for i = 1, lines do
  local left = redis.call('LLEN', KEYS[6 + i])
  if left < quantities[i] then
    if onStandby >= standbyLimit then
      -- The only trace that a refusal leaves: by it the last unit of another shard moves here (docs/decisions/0022).
      if left == 0 then redis.call('HSET', KEYS[1], 'wanted:' .. ARGV[5 + 2 * i], nowMs) end
      return { 'SOLD_OUT', ARGV[5 + 2 * i], left }
    end
    isShort = true
  end
end
local reserves = instant and not isShort and onStandby == 0 and queuedUpTo <= served

-- From here on nothing can fail.
local seq = redis.call('HINCRBY', KEYS[1], 'seq', 1)
redis.call('HINCRBY', KEYS[3], user, 1)
local ticket = { ticketId = ticketId, status = reserves and 'reserved' or 'queued', seq = seq, joinedAtMs = nowMs, items = {} }
for i = 1, lines do ticket.items[i] = { ARGV[5 + 2 * i], quantities[i] } end

if instant and not reserves then redis.call('HSET', KEYS[1], 'queuedUpTo', seq) end
if reserves then
  local claim = { ticketId = ticketId, userId = user, seq = seq, joinedAtMs = nowMs, items = {} }
  for i = 1, lines do
    local item = ARGV[5 + 2 * i]
    claim.items[i] = { item, quantities[i], redis.call('RPOP', KEYS[6 + i], quantities[i]) }
    redis.call('HINCRBY', KEYS[4], unitFields[i], quantities[i])
    if standbyLimit == 0 and redis.call('EXISTS', KEYS[6 + i]) == 0 then redis.call('PUBLISH', ARGV[3], 'sold_out ' .. ARGV[4] .. ' ' .. item) end
  end
  redis.call('HSET', KEYS[6], ticketId, cjson.encode(claim))
  for _, i in ipairs({ 4, 6 }) do redis.call('PEXPIREAT', KEYS[i], sale[8]) end
end
redis.call('HSET', KEYS[2], user, cjson.encode(ticket))
local waiting = redis.call('LPUSH', KEYS[5], seq .. ' ' .. user)

-- Keys that this call may have created get the sale's expiry; an emptied list loses its own.
if waiting == 1 then redis.call('PEXPIREAT', KEYS[5], sale[8]) end
if seq == 1 then
  for i = 2, 3 do redis.call('PEXPIREAT', KEYS[i], sale[8]) end
end

local wake = 0
if not sale[7] then
  redis.call('HSET', KEYS[1], 'waking', seq)
  wake = 1
end
local answer = { reserves and 'RESERVED' or 'QUEUED', math.max(1, seq - served), wake, sale[9] or '0', ticketId }
if answerKey then redis.call('SET', answerKey, cjson.encode({ digest = ARGV[6], answer = answer }), 'PX', ANSWER_TTL_MS) end
return answer
