-- An account as its owner sees it.
-- params: id uuid
-- row: email text, created_at timestamptz
-- effect: read
SELECT email, created_at
FROM account
WHERE id = $1
