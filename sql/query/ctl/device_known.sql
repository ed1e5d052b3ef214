-- Finds the values that the database will not take for new devices: serial numbers and MAC
-- addresses that the account has already, and missing accounts. place: in the arrays, from 1. Empty
-- texts are skipped.
-- params: serials text[], macs text[], accounts text[]
-- row: known_device
-- effect: read
-- work: bounded
WITH wish AS (
	SELECT wish.serial, nullif(wish.mac, '')::macaddr AS mac, wish.email, wish.place,
		account.id AS account_id
	FROM unnest(:serials, :macs, :accounts) WITH ORDINALITY AS wish (serial, mac, email, place)
	LEFT JOIN account ON lower(account.email) = lower(wish.email)
)
SELECT 'serial' AS kind, wish.place
FROM wish
JOIN device ON device.serial = wish.serial AND device.account_id = wish.account_id
UNION ALL
SELECT 'mac', wish.place
FROM wish
JOIN device ON device.mac = wish.mac AND device.account_id = wish.account_id
UNION ALL
SELECT 'account', place
FROM wish
WHERE email <> '' AND account_id IS NULL
