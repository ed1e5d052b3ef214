-- Revokes an API key of an account, and tells all workers to drop it from their caches. The commit
-- tells them, so this works even if the worker's own connection for hints hangs. No row: the
-- account has none that is not revoked with this ID. What the key has set up ends by own_key_end, unless it is kept.
-- params: account_id uuid, id uuid, keeps_set_up bool, address text, session_id uuid
-- row: name text
-- rare: an owner revokes a key, which must stop working everywhere with the commit
WITH revoked AS (
	UPDATE api_key
	SET revoked_at = present_time(), keeps_set_up = :keeps_set_up
	WHERE id = :id AND account_id = :account_id AND revoked_at IS NULL
	RETURNING account_id, name, secret_hash
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'key.revoke', revoked.name, :address, :session_id
	FROM revoked
	JOIN account ON account.id = revoked.account_id
), told AS (
	SELECT pg_notify('displayd_hint', 'key:' || encode(secret_hash, 'hex'))
	FROM revoked
)
SELECT name
FROM revoked, told
