-- The same requests, from callers who wait for a second after an answer that refuses them, as its
-- Retry-After asks them to.

require("requests")

local refused = 0

function response(status)
	if status == 429 or status == 503 then
		refused = refused + 1
	end
end

-- Before a connection's next request; in milliseconds.
function delay()
	if refused == 0 then
		return 0
	end
	refused = refused - 1
	return 1000
end
