-- The same for many, one after the other.
-- params: seconds float8[]
-- row: how text, place int8
-- effect: read
-- work: bounded
-- batches: sleeper
SELECT 'together' || pg_sleep(seconds) AS how, place
FROM unnest(:seconds) WITH ORDINALITY AS wanted (seconds, place)
