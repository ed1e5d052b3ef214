-- A part of the devices of all accounts, or of one, oldest first: at most so many after a list
-- position.
-- params: account_id uuid, after_created_at timestamptz, after_id uuid, row_limit int8
-- row: inventory_device
-- effect: read
-- work: grows with devices
SELECT device.id, device.name, device.serial, coalesce(device.mac, device.told_mac)::text AS mac,
	device.created_at, device.last_online_at, entries_now(device.id, device.entry_count)::int8 AS entries,
	account.email AS account, false AS is_told
FROM device
JOIN account ON account.id = device.account_id
WHERE (device.created_at, device.id) > (:after_created_at, :after_id)
	AND :account_id IN (device.account_id, '00000000-0000-0000-0000-000000000000')
ORDER BY device.created_at, device.id
LIMIT :row_limit
