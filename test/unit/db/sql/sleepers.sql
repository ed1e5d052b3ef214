-- The same for many, one after the other.
-- params: seconds float8[]
-- row: how text, key_number int8
-- effect: read
-- work: bounded
-- batches: sleeper
SELECT 'together' || pg_sleep(seconds) AS how, key_number
FROM unnest(:seconds) WITH ORDINALITY AS wanted (seconds, key_number)
