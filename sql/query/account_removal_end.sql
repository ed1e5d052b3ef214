-- Removes an account that owns nothing any more, and has no key that works. Streams of its sessions
-- end by the hint, and the pages of administrators read again.
-- params: account_id uuid
-- row: removed_portion
-- work: grows with the account's revoked keys
-- changes: account_id
-- rare: an account is removed
WITH removed AS (
	DELETE FROM account
	WHERE id = :account_id
		AND NOT EXISTS (SELECT FROM device WHERE account_id = :account_id)
		AND NOT EXISTS (SELECT FROM app WHERE account_id = :account_id)
		AND NOT EXISTS (
			SELECT FROM api_key WHERE account_id = :account_id AND revoked_at IS NULL)
	RETURNING id
)
SELECT count(pg_notify('displayd_hint', 'changed:' || id || ':sessions '
		'changed:00000000-0000-0000-0000-000000000000:admin')) AS removed,
	count(*) = 0 AND EXISTS (SELECT FROM account WHERE id = :account_id) AS is_left
FROM removed
