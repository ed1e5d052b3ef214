-- Makes the session forget its prepared statements, as a pooler might.
-- row: done bool
-- effect: read
SELECT forget_all() AS done
