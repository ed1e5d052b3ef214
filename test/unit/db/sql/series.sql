-- As many rows as it is told.
-- params: count int8
-- row: number text
-- effect: read
SELECT 'alone ' || $1 || ' ' || n AS number
FROM generate_series(1, $1) AS n
