-- A part of the devices of an account as its pages show them, oldest first: at most so many after a
-- list position.
-- params: account_id uuid, after_created_at timestamptz, after_id uuid, row_limit int8
-- row: device, device_more
-- effect: read
-- work: bounded
SELECT device.{device}, device_more.{device_more}
FROM device
JOIN device_more ON device_more.device_id = device.id
WHERE device.account_id = :account_id
	AND (device.created_at, device.id) > (:after_created_at, :after_id)
ORDER BY device.created_at, device.id
LIMIT :row_limit
