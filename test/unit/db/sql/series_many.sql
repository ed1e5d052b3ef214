-- The same for many.
-- params: counts int8[]
-- row: number text, key_number int8
-- effect: read
-- work: bounded
-- batches: series
SELECT 'together ' || count || ' ' || n AS number, key_number
FROM unnest(:counts) WITH ORDINALITY AS wanted (count, key_number)
CROSS JOIN LATERAL (SELECT n FROM generate_series(1, count) AS n ORDER BY n) AS numbers
