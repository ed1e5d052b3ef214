-- An account as its owner sees it.
-- params: id uuid
-- row: account
-- effect: read
-- work: bounded
SELECT {account}
FROM account
WHERE id = :id
