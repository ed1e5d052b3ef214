-- Notes that an administrator, whose password or passkey was checked, orders a backup, unless a server
-- is making one. No row: the actor is no administrator any more, or has another password or passkey.
-- params: actor_id uuid, password_hash text?, credential_id text?, session_id uuid, address text
-- row: is_busy bool
WITH maker AS (
	SELECT id, email, EXISTS (
		SELECT
		FROM pg_locks
		WHERE locktype = 'advisory' AND objsubid = 1 AND granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND (classid::int8 << 32 | objid::int8) = 7235441203039271269) AS is_busy
	FROM account
	WHERE id = :actor_id AND is_administrator AND closed_at IS NULL
		AND proof_holds(id, :password_hash, :credential_id, :session_id)
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, address, session_id)
	SELECT id, email, 'backup.download', :address, :session_id
	FROM maker
	WHERE NOT is_busy
)
SELECT is_busy
FROM maker
