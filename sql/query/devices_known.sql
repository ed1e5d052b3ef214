-- Finds what prevents new devices: serial numbers and MAC addresses that an earlier line has for the
-- account, or that the account has already, and missing accounts. lines: for each device an ID, the
-- account's e-mail address, a name, a serial number, a MAC address and the hash of the key in
-- hexadecimal, with tabs between them; empty: none, or not valid. conflicts: JSON; a line is a number from 1.
-- params: lines text
-- row: conflicts text
-- work: grows with the lines
WITH line AS (
	SELECT string_to_array(text, E'\t') AS field, number
	FROM unnest(string_to_array(:lines, E'\n')) WITH ORDINALITY AS line (text, number)
), wish AS MATERIALIZED (
	SELECT nullif(line.field[4], '') AS serial, nullif(line.field[5], '')::macaddr AS mac, line.field[2] AS email,
		line.number, account.id AS account_id
	FROM line
	LEFT JOIN account ON lower(account.email) = lower(line.field[2]) AND account.closed_at IS NULL
), value AS (
	SELECT 1 AS rank, 'serial' AS kind, serial AS text, number, email FROM wish
	UNION ALL
	SELECT 2, 'mac', mac::text, number, email FROM wish
), conflict AS (
	SELECT rank, number, format('%s %s is already used in line', kind, text) AS detail,
		min(number) OVER (PARTITION BY lower(email), kind, text) AS other
	FROM value
	WHERE text IS NOT NULL AND email <> ''
	UNION ALL
	SELECT 3, wish.number, format('there is a device with the serial number %s already', wish.serial), NULL
	FROM wish
	JOIN device ON device.serial = wish.serial AND device.account_id = wish.account_id
	UNION ALL
	SELECT 4, wish.number, format('there is a device with the MAC address %s already', wish.mac), NULL
	FROM wish
	JOIN device ON device.mac = wish.mac AND device.account_id = wish.account_id
	UNION ALL
	SELECT 5, number, format('there is no account %s', email), NULL
	FROM wish
	WHERE email <> '' AND account_id IS NULL
)
SELECT coalesce(json_agg(json_build_object('line', number, 'detail', detail, 'otherLine', other)
	ORDER BY number, rank), '[]')::text AS conflicts
FROM conflict
WHERE other IS DISTINCT FROM number
