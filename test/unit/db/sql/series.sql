-- Returns as many rows as its parameter says.
-- params: count int8
-- row: number text
-- effect: read
-- work: bounded
SELECT 'alone ' || :count || ' ' || n AS number
FROM generate_series(1, :count) AS n
