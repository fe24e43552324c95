-- What wrk sends: one request again and again, another number in it each time.

local method, path, body, limit

function init(arguments)
  method, path, body, limit = arguments[1], arguments[2], arguments[3], tonumber(arguments[4])
  wrk.headers["Content-Type"] = body ~= "" and "application/json" or nil
end

local function fill(template)
  local start = template:find("$", 1, true)
  if not start then return template end
  return template:sub(1, start - 1) .. math.random(limit) .. template:sub(start + 1)
end

function request()
  return wrk.format(method, fill(path), nil, body ~= "" and fill(body) or nil)
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
