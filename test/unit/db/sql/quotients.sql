-- The same for many.
-- params: divisors int8[]
-- row: quotient text, place int8
-- effect: read
-- work: bounded
-- batches: quotient
SELECT 'together ' || 100 / divisor AS quotient, place
FROM unnest(:divisors) WITH ORDINALITY AS wanted (divisor, place)
