-- What of these the database will not take for new devices: serial numbers and MAC addresses that are
-- taken, and accounts that it has not. Empty texts are passed over.
-- params: serials text[], macs text[], accounts text[]
-- row: known_device
-- effect: read
SELECT 'serial' AS kind, serial AS value
FROM device
WHERE serial = ANY (:serials)
UNION ALL
SELECT 'mac', mac::text
FROM device
WHERE mac = ANY (SELECT nullif(value, '')::macaddr FROM unnest(:macs) AS wish (value))
UNION ALL
SELECT DISTINCT 'account', wish.value
FROM unnest(:accounts) AS wish (value)
WHERE wish.value <> '' AND NOT EXISTS (
	SELECT FROM account WHERE lower(account.email) = lower(wish.value))
