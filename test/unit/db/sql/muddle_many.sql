-- Wrong: the rows of a key are not together.
-- params: counts int8[]
-- row: number text, key_number int8
-- effect: read
-- work: bounded
-- batches: muddle
SELECT 'together ' || count || ' ' || n AS number, key_number
FROM unnest(:counts) WITH ORDINALITY AS wanted (count, key_number)
CROSS JOIN LATERAL generate_series(1, count) AS n
ORDER BY n, key_number
