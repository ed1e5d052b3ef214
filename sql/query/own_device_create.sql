-- A new device of an account. The account's row is locked, so that two at a time cannot exceed the
-- limit. is_stored is false: the account has that many. No row: the account is gone.
-- params: account_id uuid, id uuid, name text, timezone text, serial text?, mac macaddr?,
--   link_key_hash bytea, device_limit int4, address text, session_id uuid
-- row: is_stored bool
-- changes: account_id
-- refuse: device_serial_unique -> serial_taken
-- refuse: device_mac_unique -> mac_taken
-- refuse: 22023 -> unknown_timezone
WITH owner AS (
	SELECT id, email, device_count
	FROM account
	WHERE id = :account_id AND closed_at IS NULL
	FOR NO KEY UPDATE
), fresh AS (
	INSERT INTO device (id, account_id, name, timezone, serial, mac, link_key_hash)
	SELECT :id, owner.id, :name, :timezone, :serial, :mac, :link_key_hash
	FROM owner
	WHERE owner.device_count < :device_limit
	RETURNING id, name
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT owner.id, owner.email, 'device.create', fresh.name, :address, :session_id
	FROM fresh, owner
)
SELECT EXISTS (SELECT FROM fresh) AS is_stored
FROM owner
