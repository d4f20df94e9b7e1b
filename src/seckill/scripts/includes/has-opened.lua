-- Before a sale opens nobody is told that an item of it is sold out: who asks then is told when it opens.
local function hasOpened(saleKey)
  local state, startsAtMs = unpack(redis.call('HMGET', saleKey, 'state', 'startsAtMs'))
  local time = redis.call('TIME')
  return state == 'open' and time[1] * 1000 + math.floor(time[2] / 1000) >= tonumber(startsAtMs)
end
