-- Fails when told to divide by zero.
-- params: divisor int8
-- row: quotient int8
-- effect: read
SELECT 100 / :divisor AS quotient
