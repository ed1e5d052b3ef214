-- Whether there is no account yet.
-- row: is_new bool
SELECT account_count = 0 AS is_new
FROM site
WHERE is_it
