-- An account that its owner has removed, and that is still there.
-- row: id uuid
-- effect: read
SELECT id
FROM account
WHERE closed_at IS NOT NULL
ORDER BY closed_at
LIMIT 1
