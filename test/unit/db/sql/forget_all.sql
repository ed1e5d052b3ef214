-- Makes the session forget its prepared statements, as a pooler might.
-- row: done bool
-- effect: read
-- work: bounded
SELECT forget_all() AS done
