-- A new API key of an account, which must own a device. No device IDs: it is for all of them;
-- no end: ends_at is that of 1970-01-01. While the key is made, a lock keeps that device from being
-- removed. Removes some keys that were revoked long ago. No row: the account owns no device, or is
-- being removed.
-- params: account_id uuid, id uuid, name text, secret_hash bytea, first_characters text, scope text,
--   device_ids uuid[], ends_at timestamptz, address text, session_id uuid
-- row: key_entry
-- refuse: account_key_limit -> too_many_keys
-- refuse: api_key_account_id_fkey -> account_gone, 23D01 -> no_such_device
WITH owned AS (
	SELECT device.id
	FROM device
	JOIN account ON account.id = device.account_id
	WHERE device.account_id = :account_id AND account.closed_at IS NULL
	LIMIT 1
	FOR KEY SHARE OF device
), fresh AS (
	INSERT INTO api_key (id, account_id, name, secret_hash, first_characters, scope, device_ids, ends_at)
	SELECT :id, :account_id, :name, :secret_hash, :first_characters, :scope, chosen_devices(:account_id, :device_ids),
		nullif(:ends_at, timestamptz 'epoch')
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
CROSS JOIN LATERAL (SELECT to_json(device_ids)::text AS devices, '[]' AS set_up) AS chosen
