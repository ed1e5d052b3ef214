-- The devices of this name, of all accounts; at most 11.
-- params: name text
-- row: named_device
-- effect: read
-- work: grows with devices
SELECT device.id, account.email, false AS is_told
FROM device
JOIN account ON account.id = device.account_id
WHERE device.name = :name
ORDER BY device.created_at, device.id
LIMIT 11
