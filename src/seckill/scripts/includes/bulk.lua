--[[
  One command for many values of a key, in pieces that unpack() can take: a call from a script costs more than what most commands do.
  Answers the values of all pieces, or the sum of their counts.
]]
local function bulk(command, key, values)
  local list, count = {}, 0
  for from = 1, #values, 4000 do
    local reply = redis.call(command, key, unpack(values, from, math.min(from + 3999, #values)))
    if type(reply) == 'number' then
      count = count + reply
    else
      for _, value in ipairs(reply) do list[#list + 1] = value end
    end
  end
  return #list > 0 and list or count
end
