-- Gives a passkey of an account another name. No row: the account has no such passkey.
-- params: account_id uuid, id uuid, name text
-- row: passkey_entry
UPDATE passkey
SET name = :name
WHERE id = :id AND account_id = :account_id
RETURNING {passkey_entry}
