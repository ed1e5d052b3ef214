-- Revokes an API key and tells all workers to forget it. A key that was revoked before keeps its
-- time. No row: there is no such key.
-- params: id uuid
-- row: key_row
-- effect: write
-- work: bounded
WITH revoked AS (
	UPDATE api_key
	SET revoked_at = coalesce(revoked_at, present_time())
	WHERE id = :id
	RETURNING account_id, id, name, first_characters, created_at, last_used_at, revoked_at,
		secret_hash
), told AS (
	SELECT pg_notify('displayd_hint', 'key:' || encode(secret_hash, 'hex'))
	FROM revoked
)
SELECT account_id, id, name, first_characters, created_at, last_used_at, revoked_at
FROM revoked, told
