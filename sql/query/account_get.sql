-- An account as its owner sees it.
-- params: id uuid
-- row: account
SELECT {account}
FROM account
WHERE id = :id
