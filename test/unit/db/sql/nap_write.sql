-- Takes its time.
-- params: seconds float8
-- row: seconds float8
-- effect: write
-- work: bounded
SELECT :seconds AS seconds FROM pg_sleep(:seconds)
