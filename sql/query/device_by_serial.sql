-- A device by its serial number, of an account. If the account has none, one of another account.
-- params: serial text, account_id uuid
-- row: (device)
SELECT ROW({device}) AS device
FROM (
	(
		SELECT *, 1 AS choice
		FROM device
		WHERE serial = :serial AND account_id = :account_id
	)
	UNION ALL
	(
		SELECT *, 2
		FROM device
		WHERE serial = :serial
		LIMIT 1
	)
) AS found
ORDER BY choice
LIMIT 1
