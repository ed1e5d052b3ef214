-- An account's identities at issuers, oldest first.
-- params: account_id uuid
-- row: identity_entry
SELECT {identity_entry}
FROM account_identity
WHERE account_id = :account_id
ORDER BY created_at, id
LIMIT 101
