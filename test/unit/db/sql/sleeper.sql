-- Sleeps for so many seconds.
-- params: seconds float8
-- row: how text
-- effect: read
-- work: bounded
SELECT 'alone' || pg_sleep(:seconds) AS how
