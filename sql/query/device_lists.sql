-- The devices of accounts, oldest first; at most 101 of each.
-- params: account_ids uuid[]
-- row: device_shown, created_at timestamptz, place int8
-- effect: read
-- work: bounded
-- batches: device_list
SELECT device.*, wanted.place
FROM unnest(:account_ids) WITH ORDINALITY AS wanted (account_id, place)
CROSS JOIN LATERAL (
	SELECT {device_shown}, created_at
	FROM device
	WHERE device.account_id = wanted.account_id
	ORDER BY created_at, id
	LIMIT 101
) AS device
