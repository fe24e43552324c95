-- What wrk sends: one request again and again, with other numbers in it each time, or another path.
-- Its arguments: method, path, body, the largest number, a file of paths or nothing, then headers.

local method, path, body, limit
local paths, headers = {}, {}

function init(arguments)
  method, path, body, limit = arguments[1], arguments[2], arguments[3], tonumber(arguments[4])
  if arguments[5] ~= "" then
    for line in io.lines(arguments[5]) do paths[#paths + 1] = line end
  end
  for place = 6, #arguments, 2 do headers[arguments[place]] = arguments[place + 1] end
  if body ~= "" then headers["Content-Type"] = "application/json" end
end

local function fill(template)
  return (template:gsub("%$", function() return math.random(limit) end))
end

function request()
  local chosen = #paths > 0 and paths[math.random(#paths)] or fill(path)
  local filled = {}
  for name, value in pairs(headers) do filled[name] = fill(value) end
  return wrk.format(method, chosen, filled, body ~= "" and fill(body) or nil)
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '\n{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"failed":%d}',
    summary.requests,
    summary.duration,
    latency:percentile(50),
    latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
