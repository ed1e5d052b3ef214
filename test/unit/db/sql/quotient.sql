-- Fails when told to divide by zero, and says that it was asked alone.
-- params: divisor int8
-- row: quotient text
-- effect: read
-- work: bounded
SELECT 'alone ' || 100 / :divisor AS quotient
