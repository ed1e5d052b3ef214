-- Takes its time, as a statement does whose work grows.
-- params: seconds float8
-- row: seconds float8
-- effect: read
-- work: grows with naps
SELECT :seconds AS seconds FROM pg_sleep(:seconds)
