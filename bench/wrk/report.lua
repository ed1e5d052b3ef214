-- What wrk saw, as one line of JSON: any percentile, in microseconds, and every fault.
-- harness/wrk.py reads it.

local line = '{"requests":%d,"duration_us":%d,"bytes":%d,"p50_us":%d,"p99_us":%d,"p999_us":%d,'
	.. '"max_us":%d,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}\n'

function done(summary, latency)
	local errors = summary.errors
	io.write("wrk-report ", line:format(summary.requests, summary.duration, summary.bytes,
		latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max,
		errors.connect, errors.read, errors.write, errors.status, errors.timeout))
end
