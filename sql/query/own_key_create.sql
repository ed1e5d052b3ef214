-- A new API key of an account, which must own a device. While the key is made, a lock keeps that
-- device from being removed. Some keys that were revoked long ago go. No row: the account owns no device, or is
-- being removed.
-- params: account_id uuid, id uuid, name text, secret_hash bytea, first_characters text, address text,
--   session_id uuid
-- row: key_entry
-- effect: write
-- work: bounded
-- refuse: account_key_limit -> too_many_keys
-- refuse: api_key_account_id_fkey -> account_gone
WITH owned AS (
	SELECT device.id
	FROM device
	JOIN account ON account.id = device.account_id
	WHERE device.account_id = :account_id AND account.closed_at IS NULL
	LIMIT 1
	FOR KEY SHARE OF device
), fresh AS (
	INSERT INTO api_key (id, account_id, name, secret_hash, first_characters)
	SELECT :id, :account_id, :name, :secret_hash, :first_characters
	FROM owned
	RETURNING *
), forgotten AS (
	DELETE FROM api_key
	WHERE id IN (
		SELECT id
		FROM api_key
		WHERE account_id = :account_id
			AND revoked_at < (SELECT present_time() - interval '90 days')
		ORDER BY revoked_at
		LIMIT 100
		FOR UPDATE SKIP LOCKED)
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'key.create', fresh.name, :address, :session_id
	FROM fresh
	JOIN account ON account.id = fresh.account_id
)
SELECT {key_entry}
FROM fresh
