-- The devices that are registered with a serial number or MAC address, of all accounts, and behind them
-- those whose panels say that they have this address; at most 11.
-- params: serial text?, mac macaddr?
-- row: named_device
-- effect: read
-- work: bounded
SELECT found.id, account.email, found.is_told
FROM (
	(
		SELECT id, account_id, created_at, false AS is_told
		FROM device
		WHERE serial = :serial OR mac = :mac
		ORDER BY created_at, id
		LIMIT 11
	)
	UNION ALL
	(
		SELECT id, account_id, created_at, true
		FROM device
		WHERE told_mac = :mac
		ORDER BY created_at, id
		LIMIT 11
	)
) AS found
JOIN account ON account.id = found.account_id
ORDER BY found.is_told, found.created_at, found.id
LIMIT 11
