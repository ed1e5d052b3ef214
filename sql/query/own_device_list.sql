-- The devices of an account as its pages show them, oldest first; at most 101, one more than a short
-- list has.
-- params: account_id uuid
-- row: device, device_more
-- effect: read
-- work: bounded
SELECT device.{device}, device_more.{device_more}
FROM device
JOIN device_more ON device_more.device_id = device.id
WHERE device.account_id = :account_id
ORDER BY device.created_at, device.id
LIMIT 101
