--[[
  Stops everything on a shard whose state is to be built anew: without an epoch it counts as not loaded for every script, so what is read
  from it afterwards stands still. Frozen state that is never replaced expires with the sale.

  KEYS  1 sale

  Answers  {'FROZEN'} | {'NOTHING'} (no state stands there, or it is frozen already)
]]
if redis.call('HDEL', KEYS[1], 'epoch') == 0 then return { 'NOTHING' } end
return { 'FROZEN' }
