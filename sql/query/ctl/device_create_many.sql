-- New devices, in the order in which they are given; the open pages of their accounts learn of them.
-- Hashes are in hexadecimal; an empty serial number or MAC address is none. Fewer rows: an account
-- is gone.
-- params: ids uuid[], accounts text[], names text[], serials text[], macs text[], hashes text[]
-- row: made_device
-- effect: write
-- work: bounded
-- refuse: device_serial_unique -> serial_taken
-- refuse: device_mac_unique -> mac_taken
WITH wish AS (
	SELECT *
	FROM unnest(:ids, :accounts, :names, :serials, :macs, :hashes) WITH ORDINALITY
		AS wish (id, email, name, serial, mac, hash, place)
), fresh AS (
	INSERT INTO device (id, account_id, name, serial, mac, link_key_hash)
	SELECT wish.id, account.id, wish.name, nullif(wish.serial, ''), nullif(wish.mac, '')::macaddr,
		decode(wish.hash, 'hex')
	FROM wish
	JOIN account ON lower(account.email) = lower(wish.email)
	ORDER BY wish.place
	RETURNING id, account_id, created_at
), told AS (
	SELECT count(pg_notify('displayd_hint',
		'changed:' || owner.account_id || ':devices changed:' || owner.account_id || ':account'))
	FROM (SELECT DISTINCT account_id FROM fresh) AS owner
)
SELECT fresh.id, fresh.created_at
FROM told, fresh
JOIN wish ON wish.id = fresh.id
ORDER BY wish.place
