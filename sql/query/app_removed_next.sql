-- Finds an account, or nobody, with apps that the operator has removed and that still exist. Ask
-- account_closed_next first: apps of a closed account are removed with it.
-- row: account_id uuid?
SELECT account_id
FROM app
WHERE is_removed
LIMIT 1
