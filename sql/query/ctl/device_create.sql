-- A new device of the account with this e-mail address; the account's open pages learn of it.
-- No row: there is no such account.
-- params: id uuid, account_email text, name text, serial text?, mac macaddr?, link_key_hash bytea
-- row: device_row
-- effect: write
-- work: bounded
-- refuse: device_serial_unique -> serial_taken
-- refuse: device_mac_unique -> mac_taken
WITH fresh AS (
	INSERT INTO device (id, account_id, name, serial, mac, link_key_hash)
	SELECT :id, account.id, :name, :serial, :mac, :link_key_hash
	FROM account
	WHERE lower(account.email) = lower(:account_email)
	RETURNING id, account_id, name, serial, mac::text AS mac, created_at
), told AS (
	SELECT pg_notify('displayd_hint',
		'changed:' || account_id || ':devices changed:' || account_id || ':account')
	FROM fresh
)
SELECT fresh.{device_row}
FROM fresh, told
