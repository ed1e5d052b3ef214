-- Fails when told to divide by zero.
-- params: divisor int8
-- row: quotient int8
-- effect: read
-- work: bounded
SELECT 100 / :divisor AS quotient
