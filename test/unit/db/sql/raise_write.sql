-- Fails with an SQLSTATE.
-- params: sqlstate text
-- row: done bool
-- effect: write
-- work: bounded
-- refuse: DD001 -> told_so
SELECT raise(:sqlstate) AS done
