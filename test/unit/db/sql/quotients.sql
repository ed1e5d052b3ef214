-- The same for many.
-- params: divisors int8[]
-- row: quotient text, key_number int8
-- effect: read
-- work: bounded
-- batches: quotient
SELECT 'together ' || 100 / divisor AS quotient, key_number
FROM unnest(:divisors) WITH ORDINALITY AS wanted (divisor, key_number)
