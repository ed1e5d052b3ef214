-- Begins the removal of an account: revokes its keys, and makes all workers forget them.
-- params: account_id uuid
-- row: removed_portion
-- work: grows with the account's keys
-- rare: an account is removed, and its keys must stop working everywhere with the commit
WITH revoked AS (
	UPDATE api_key
	SET revoked_at = present_time()
	WHERE account_id = :account_id AND revoked_at IS NULL
	RETURNING secret_hash
), told AS (
	SELECT pg_notify('displayd_hint', 'key:' || encode(secret_hash, 'hex'))
	FROM revoked
)
SELECT count(*) AS removed, false AS is_left
FROM told
