-- An account's passkeys, oldest first.
-- params: account_id uuid
-- row: passkey_entry
SELECT {passkey_entry}
FROM passkey
WHERE account_id = :account_id
ORDER BY created_at, id
LIMIT 101
