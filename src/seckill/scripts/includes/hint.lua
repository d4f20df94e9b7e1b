--[[
  Tells who follows tickets of a shard as they change that those of these users have: one message a step, with the ids only. It may be lost,
  and nobody may be listening; what a ticket has become is read by whoever wants to know (see docs/decisions/0023).
]]
local function hint(shardName, users)
  if #users > 0 then redis.call('PUBLISH', 'seckill:tickets:' .. shardName, table.concat(users, ' ')) end
end
