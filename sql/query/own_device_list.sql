-- The devices of an account as its pages show them, oldest first.
-- params: account_id uuid
-- row: device, device_more
-- list: device.created_at, device.id
SELECT device.{device}, device_more.{device_more}
FROM device
JOIN device_more ON device_more.device_id = device.id
WHERE device.account_id = :account_id AND {after}
{order}
