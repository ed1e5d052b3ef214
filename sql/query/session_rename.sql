-- Names a session of an account. No row: the account has no such session.
-- params: account_id uuid, id uuid, name text
-- row: id uuid
UPDATE session
SET name = :name
WHERE id = :id AND account_id = :account_id
RETURNING id
