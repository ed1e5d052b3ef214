-- Makes a link for the first account, an administrator, and a reviewer: there is no other. The newest ten stay. No row:
-- there is an account.
-- params: id uuid, secret_hash bytea, life_s int4
-- row: expires_at timestamptz
WITH crowded AS (
	DELETE FROM account_link
	WHERE id IN (
		SELECT id
		FROM account_link
		WHERE kind = 'first'
		ORDER BY created_at DESC
		OFFSET 9)
)
INSERT INTO account_link (id, kind, secret_hash, is_reviewer, is_administrator, is_operators,
	expires_at)
SELECT :id, 'first', :secret_hash, true, true, true, present_time() + :life_s * interval '1 second'
FROM site
WHERE account_count = 0
RETURNING expires_at
