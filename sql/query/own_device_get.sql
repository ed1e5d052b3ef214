-- A device of an account as its pages show it. No row: it is gone.
-- params: id uuid, account_id uuid
-- row: (device), (device_more)
SELECT ROW(device.{device}) AS device, ROW(device_more.{device_more}) AS device_more
FROM device
JOIN device_more ON device_more.device_id = device.id
WHERE device.id = :id AND device.account_id = :account_id
