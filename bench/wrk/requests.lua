-- Sends the requests of a file, one after another: lines of method, path, key and body, separated by
-- tabs; key and body may be empty. They are formatted once, so that a request costs wrk no more than
-- a look into a table. Every thread begins elsewhere.

require("report")

local requests = {}
local position = 0
local threads = 0

function setup(thread)
	thread:set("thread_number", threads)
	threads = threads + 1
end

local function add(line)
	local method, path, key, body = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
	local headers = {}
	for name, value in pairs(wrk.headers) do
		headers[name] = value
	end
	if key ~= "" then
		headers["Authorization"] = "Bearer " .. key
	end
	if body ~= "" then
		headers["Content-Type"] = "application/json"
	end
	requests[#requests + 1] = wrk.format(method, path, headers, body ~= "" and body or nil)
end

function init()
	for line in io.lines(os.getenv("WRK_REQUESTS")) do
		add(line)
	end
	position = thread_number * math.floor(#requests / 2)
end

function request()
	position = position % #requests + 1
	return requests[position]
end
