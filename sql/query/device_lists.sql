-- The devices of accounts, oldest first; at most 101 of each.
-- params: account_ids uuid[]
-- row: device_shown, created_at timestamptz, key_number int8
-- batches: device_list
SELECT device.*, wanted.key_number
FROM unnest(:account_ids) WITH ORDINALITY AS wanted (account_id, key_number)
CROSS JOIN LATERAL (
	SELECT {device_shown}, created_at
	FROM device
	WHERE device.account_id = wanted.account_id
	ORDER BY created_at, id
	LIMIT 101
) AS device
