-- The same for many.
-- params: counts int8[]
-- row: number text, place int8
-- effect: read
-- work: bounded
-- batches: series
SELECT 'together ' || count || ' ' || n AS number, place
FROM unnest(:counts) WITH ORDINALITY AS wanted (count, place)
CROSS JOIN LATERAL (SELECT n FROM generate_series(1, count) AS n ORDER BY n) AS numbers
