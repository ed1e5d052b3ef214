-- Wrong: the rows of a key are not together.
-- params: counts int8[]
-- row: number text, place int8
-- effect: read
-- work: bounded
-- batches: muddle
SELECT 'together ' || count || ' ' || n AS number, place
FROM unnest(:counts) WITH ORDINALITY AS wanted (count, place)
CROSS JOIN LATERAL generate_series(1, count) AS n
ORDER BY n, place
