--[[
  Stops everything on a shard whose state is to be built anew: without an epoch it counts as not loaded for every script, so what is read
  from it afterwards stands still. Frozen state that is never replaced expires with the sale.

  KEYS  1 sale
  ARGV  1 epoch of the build that is to replace the state

  Answers  {'FROZEN', why}  why: what another script froze it for, or '' (nothing stands there, or it is frozen by this call)
           {'NEWER'}        the state of a later build stands there, and stays
]]
local standing, why = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'frozenFor'))
if standing and tonumber(standing) > tonumber(ARGV[1]) then return { 'NEWER' } end
redis.call('HDEL', KEYS[1], 'epoch')
return { 'FROZEN', why or '' }
