--[[
  Adds one chunk to a staging key and renews the key's time to live. A chunk that the client library sends again counts once.

  KEYS  1 staging key
  ARGV  1 `list` or `hash`, 2 entries that the key must have, 3 time to live in seconds, 4 entries in this chunk (5,000 values at most),
        then the values of a list, or the fields and values of a hash

  Answers  {'STAGED', entries} | {'LOST', entries} (what was staged before is gone, or is not ours)
]]
local isList = ARGV[1] == 'list'
local count, add = isList and 'LLEN' or 'HLEN', isList and 'LPUSH' or 'HSET'
local before, after = tonumber(ARGV[2]), tonumber(ARGV[2]) + tonumber(ARGV[4])

local found = redis.call(count, KEYS[1])
if found ~= before and found ~= after then return { 'LOST', found } end
if found == before then redis.call(add, KEYS[1], unpack(ARGV, 5)) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return { 'STAGED', redis.call(count, KEYS[1]) }
