-- A device of an account in the form of /v0, with all that its plan needs: see v0_device_list. No row: it is gone.
-- params: id uuid, account_id uuid
-- row: device_v0, (device), sleep_setting, dim_setting, now_at timestamptz
SELECT {device_v0}, device, {sleep_setting}, {dim_setting}, now_at
FROM device_v0
CROSS JOIN LATERAL (
	SELECT ROW(device.{device}) AS device, {sleep_setting}, {dim_setting}, present_time() AS now_at
	FROM device
	WHERE device.id = device_v0.id
) AS own
WHERE id = :id AND account_id = :account_id
