-- Takes its time.
-- params: seconds float8
-- row: seconds float8
-- effect: read
SELECT $1 AS seconds FROM pg_sleep($1)
