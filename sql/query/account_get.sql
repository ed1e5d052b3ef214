-- An account as its owner sees it.
-- params: id uuid
-- row: account
-- effect: read
SELECT {account}
FROM account
WHERE id = :id
