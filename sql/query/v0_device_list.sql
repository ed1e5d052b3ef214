-- The devices of an account, or those among chosen_ids that it owns, in the form of /v0, oldest first, with all that
-- their plans need: is_asleep and is_dimmed do not count the plan's own windows.
-- params: account_id uuid, chosen_ids uuid[]
-- row: device_v0, (device), sleep_setting, dim_setting, now_at timestamptz, created_at timestamptz
-- list: created_at, id
SELECT {device_v0}, device, {sleep_setting}, {dim_setting}, now_at, created_at
FROM device_v0
CROSS JOIN LATERAL (
	SELECT ROW(device.{device}) AS device, {sleep_setting}, {dim_setting}, present_time() AS now_at
	FROM device
	WHERE device.id = device_v0.id
) AS own
WHERE account_id = :account_id AND {after}
	{part: AND (cardinality(:chosen_ids) = 0 OR id = ANY (:chosen_ids))}
{order}
