local helper = require("helper")
local json = require "json"
local M = {}
local Shape = {}
Shape.__index = Shape
M._VERSION = "1.0"
MAX_SIZE = 10
local first, second = 1, 2
local constant <const> = 3

-- Makes one.
-- In two lines.
function Shape.new(name, width)
  local self = setmetatable({}, Shape)
  self.name = name
  return self
end

function Shape:area()
  local function inner(x) return x end
  local value = inner(self.width)
  return compute(value)
end

function Shape:draw(canvas) canvas:render(self) end
function M.build(...) return Shape.new(...) end
function M.deep.er.path() end

local function hidden(a) return a end
function global_function() hidden(1) end

M.assigned = function(a, b)
  return a + b
end

local bound = function() end
global_bound = function() return 1 end

M.table = {
  first = function() end,
  second = function(self) return self end,
  value = 1,
  ["quoted"] = function() end,
}

local handlers = {
  on_open = function() end,
  on_close = function() end,
}

if M._VERSION then
  function M.conditional() end
  local in_block = 1
end

for index, value in ipairs({}) do
  local looped = value
end

do
  local scoped = 1
  function M.in_do() end
end

--[[
function in_comment() end
]]
local text = [[
function in_string() end
]]

function M.first_more() end
function M.second_more() end
function M:third_more() end
local function more() end
local counter = 0
global_table = { run = function() end }
local Other = { make = function() end, [1] = 2 }
function Other.finish(callback)
  callback(function() end)
end

return setmetatable(M, {
  __call = function(_, ...) return M.build(...) end,
})
