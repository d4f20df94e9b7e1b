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

  This is what Redis does most, and each command and each field cost it time (see docs/decisions/0026): so only what every join needs is
  read at first, the first write is also the look at the count, and the ticket's JSON is put together by hand. That takes texts that need
  no escaping: the ticket id is made by the service, and an item id is one that the sale has a limit for.
]]
--- @include "freeze"
local call = redis.call
local SALE, STATUS, COUNT, UNITS, QUEUE, CLAIMED = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local ticketId, user = ARGV[1], ARGV[2]
local lines = (#ARGV - 6) / 2
local answerKey = ARGV[6] ~= '' and KEYS[7 + lines]
local ANSWER_TTL_MS = 24 * 3600 * 1000

local sale = call('HMGET', SALE, 'epoch', 'runId', 'state', 'startsAtMs', 'endsAtMs', 'mode', 'seq', 'served', 'waking', 'rate',
  'limit:' .. (ARGV[7] or ''))
-- A server that restarted, or took over, may have fallen back a little: its state is built anew before anyone relies on it.
if not sale[1] or sale[2] ~= ARGV[5] then return { 'NOT_LOADED' } end
local state, instant, served, waking, rate = sale[3], sale[6] == 'instant', tonumber(sale[8]), sale[9], sale[10] or '0'

local kept = answerKey and call('GET', answerKey)
if kept then
  local first = cjson.decode(kept)
  return first.digest == ARGV[6] and first.answer or { 'KEY_REUSED' }
end

local stored = call('HGET', STATUS, user)
local held = stored and cjson.decode(stored)
if held and held.id == ticketId then
  local wake = waking and tonumber(waking) == held.seq and 1 or 0
  local isQueued = not instant or held.status == 'queued' or held.status == 'standby'
  return { isQueued and 'QUEUED' or 'RESERVED', math.max(1, held.seq - served), wake, rate, ticketId }
end

local time = call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if state == 'ended' or nowMs >= tonumber(sale[5]) then return { 'ENDED' } end
if nowMs < tonumber(sale[4]) then return { 'NOT_STARTED', sale[4] } end
if state == 'paused' then return { 'PAUSED' } end

local quantities, limits = {}, {}
for i = 1, lines do
  local item, quantity = ARGV[5 + 2 * i], tonumber(ARGV[6 + 2 * i])
  local limit = i == 1 and sale[11] or i > 1 and call('HGET', SALE, 'limit:' .. item)
  if not limit then return { 'ITEM_NOT_FOUND', item } end
  if not quantity or quantity < 1 or quantity % 1 ~= 0 or limits[item] then return { 'INVALID_BASKET', item } end
  quantities[i], limits[item] = quantity, tonumber(limit)
end
if lines < 1 then return { 'INVALID_BASKET', '' } end

-- Who is counted has a live ticket, and the other way round. Where one of the two was lost, it would let the shopper in twice, or never
-- again: the shard is built anew from MySQL and the tickets.
local function contradiction()
  freeze(SALE, 'count and ticket of a shopper differ')
  return { 'NOT_LOADED' }
end
-- A refusal of who has no live ticket, unless the shopper is counted: then the ticket was lost, and what else is there can't be relied on.
local function refuse(...)
  return tonumber(call('HGET', COUNT, user) or 0) > 0 and contradiction() or { ... }
end
local status = held and held.status
if status == 'queued' or status == 'reserved' or status == 'standby' or status == 'awaiting_payment' then
  if tonumber(call('HGET', COUNT, user) or 0) < 1 then return contradiction() end
  return { status == 'awaiting_payment' and 'UNPAID_ORDER' or 'ALREADY_QUEUED' }
end

for i = 1, lines do
  local item = ARGV[5 + 2 * i]
  local units = call('HGET', UNITS, user .. ':' .. item)
  if (units or 0) + quantities[i] > limits[item] then return refuse('LIMIT_REACHED', item, limits[item]) end
end
local isShort = false
for i = 1, lines do
  local left = call('LLEN', KEYS[6 + i])
  if left < quantities[i] then
    local standbyLimit, onStandby = unpack(call('HMGET', SALE, 'standbyLimit', 'onStandby'))
    if tonumber(onStandby or 0) >= tonumber(standbyLimit or 0) then
      -- The only trace that a refusal leaves: by it the last unit of another shard moves here (docs/decisions/0022).
      if left == 0 then call('HSET', SALE, 'wanted:' .. ARGV[5 + 2 * i], nowMs) end
      return refuse('SOLD_OUT', ARGV[5 + 2 * i], left)
    end
    isShort = true
  end
end
local reserves, standbyLimit, expireAtMs = false, nil, nil
if instant then
  local onStandby, queuedUpTo
  onStandby, queuedUpTo, standbyLimit, expireAtMs = unpack(call('HMGET', SALE, 'onStandby', 'queuedUpTo', 'standbyLimit', 'expireAtMs'))
  reserves = not isShort and tonumber(onStandby or 0) == 0 and tonumber(queuedUpTo or 0) <= served
end

-- The first write is the last check: whoever has no live ticket must not be counted yet, or else the ticket was lost.
if call('HINCRBY', COUNT, user, 1) ~= 1 then return contradiction() end
-- From here on nothing can fail.
local seq = sale[7] + 1
local place = string.format('%d', seq)
local wake = waking and 0 or 1
if wake == 1 then call('HSET', SALE, 'seq', place, 'waking', place) else call('HSET', SALE, 'seq', place) end

if reserves then
  local claim = { ticketId = ticketId, userId = user, seq = seq, joinedAtMs = nowMs, items = {} }
  for i = 1, lines do
    local item = ARGV[5 + 2 * i]
    claim.items[i] = { item, quantities[i], call('RPOP', KEYS[6 + i], quantities[i]) }
    call('HINCRBY', UNITS, user .. ':' .. item, quantities[i])
    if tonumber(standbyLimit or 0) == 0 and call('EXISTS', KEYS[6 + i]) == 0 then call('PUBLISH', ARGV[3], 'sold_out ' .. ARGV[4] .. ' ' .. item) end
  end
  call('HSET', CLAIMED, ticketId, cjson.encode(claim))
  call('PEXPIREAT', UNITS, expireAtMs)
  call('PEXPIREAT', CLAIMED, expireAtMs)
elseif instant then
  call('HSET', SALE, 'queuedUpTo', place)
end

-- The form that ticket.codec.ts reads.
local basket = '["' .. ARGV[7] .. '",' .. quantities[1] .. ']'
for i = 2, lines do basket = basket .. ',["' .. ARGV[5 + 2 * i] .. '",' .. quantities[i] .. ']' end
call('HSET', STATUS, user, '{"id":"' .. ticketId .. '","status":"' .. (reserves and 'reserved' or 'queued') .. '","seq":' .. place
  .. ',"joinedAtMs":' .. string.format('%d', nowMs) .. ',"items":[' .. basket .. ']}')
local waiting = call('LPUSH', QUEUE, place .. ' ' .. user)

-- Keys that this call may have created get the sale's expiry; an emptied list loses its own.
if waiting == 1 then
  expireAtMs = expireAtMs or call('HGET', SALE, 'expireAtMs')
  for _, key in ipairs(seq == 1 and { STATUS, COUNT, QUEUE } or { QUEUE }) do call('PEXPIREAT', key, expireAtMs) end
end

local answer = { reserves and 'RESERVED' or 'QUEUED', math.max(1, seq - served), wake, rate, ticketId }
if answerKey then call('SET', answerKey, cjson.encode({ digest = ARGV[6], answer = answer }), 'PX', ANSWER_TTL_MS) end
return answer
