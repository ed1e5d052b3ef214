-- The same, and the error is one that a caller can cause.
-- params: divisor int8
-- row: quotient int8
-- effect: read
-- work: bounded
-- refuse: 22012 -> division_by_zero
SELECT 100 / :divisor AS quotient
