-- Makes all devices of the lines (devices_known), or none if an account is missing. Their creation
-- times begin with that of the first ID (RFC 9562, version 7), a microsecond apart. Notifies the
-- open pages of their accounts. The owners are the IDs of these accounts, 16 bytes each.
-- params: lines text, session_id uuid
-- row: made int8, owners bytea
-- work: grows with the lines
-- changes: owners
-- refuse: device_serial_unique -> serial_taken
-- refuse: device_mac_unique -> mac_taken
-- rare: the operator makes devices
WITH line AS (
	SELECT string_to_array(text, E'\t') AS field, number
	FROM unnest(string_to_array(:lines, E'\n')) WITH ORDINALITY AS line (text, number)
), moment AS (
	SELECT 'epoch'::timestamptz + ('x' || left(replace(field[1], '-', ''), 12))::bit(48)::int8
		* interval '1 millisecond' AS began_at
	FROM line
	WHERE number = 1
), wish AS MATERIALIZED (
	SELECT line.field, line.number, account.id AS account_id, account.email
	FROM line
	LEFT JOIN account ON lower(account.email) = lower(line.field[2]) AND account.closed_at IS NULL
), fresh AS (
	INSERT INTO device (id, account_id, name, serial, mac, link_key_hash, created_at)
	SELECT field[1]::uuid, account_id, field[3], nullif(field[4], ''), nullif(field[5], '')::macaddr,
		decode(field[6], 'hex'), began_at + (number - 1) * interval '1 microsecond'
	FROM wish, moment
	WHERE NOT EXISTS (SELECT FROM wish WHERE account_id IS NULL)
	ORDER BY number
	RETURNING account_id
), owner AS (
	SELECT account_id, count(*) AS devices
	FROM fresh
	GROUP BY account_id
), audited AS (
	INSERT INTO audit_entry (actor, action, target, session_id)
	SELECT 'displayctl', 'device.create', owner.devices || ' devices of ' || account.email, :session_id
	FROM owner
	JOIN account ON account.id = owner.account_id
), told AS (
	SELECT count(pg_notify('displayd_hint',
		'changed:' || account_id || ':devices changed:' || account_id || ':account'))
	FROM owner
)
SELECT (SELECT count(*) FROM fresh) AS made,
	(SELECT coalesce(string_agg(uuid_send(account_id), ''), '') FROM owner) AS owners
FROM told
