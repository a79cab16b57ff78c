-- Trees of tables, and strings that grow: what an interpreter stores when it computes.
local function build(depth)
    if depth == 0 then return {} end
    return {build(depth - 1), build(depth - 1)}
end

local function count(tree)
    local sum = 1
    for _, child in ipairs(tree) do sum = sum + count(child) end
    return sum
end

local sum, words = 0, {}
for round = 1, tonumber(arg[1]) do
    sum = sum + count(build(13))
    for i = 1, 20000 do
        local key = "k" .. i % 997
        words[key] = ((words[key] or "") .. i):sub(-200)
    end
end
print(sum, words.k1)
