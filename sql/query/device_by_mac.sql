-- A device by its MAC address, of an account: the one that is registered with it, else the last
-- seen one whose panel reports it. If the account has neither, a device of another account that is
-- registered with it.
-- params: mac macaddr, account_id uuid
-- row: (device)
SELECT ROW({device}) AS device
FROM (
	(
		SELECT *, 1 AS choice
		FROM device
		WHERE mac = :mac AND account_id = :account_id
	)
	UNION ALL
	(
		SELECT *, 2
		FROM device
		WHERE told_mac = :mac AND account_id = :account_id
		ORDER BY greatest(last_online_at, (SELECT presence.seen_at FROM presence WHERE presence.id = online_by)) DESC, id DESC
		LIMIT 1
	)
	UNION ALL
	(
		SELECT *, 3
		FROM device
		WHERE mac = :mac
		LIMIT 1
	)
) AS found
ORDER BY choice
LIMIT 1
