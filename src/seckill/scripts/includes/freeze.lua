--[[
  Stops a shard whose keys contradict each other: without an epoch it counts as not loaded for every script, and the preload builds it anew
  (see docs/decisions/0014). `why` is for the log.
]]
local function freeze(saleKey, why)
  redis.call('HDEL', saleKey, 'epoch')
  redis.call('HSET', saleKey, 'frozenFor', why)
end
