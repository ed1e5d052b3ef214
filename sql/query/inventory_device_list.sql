-- The devices of all accounts, or of one, oldest first.
-- params: account_id uuid
-- row: inventory_device
-- work: grows with devices
-- list: device.created_at, device.id
SELECT device.id, device.name, device.serial, coalesce(device.mac, device.told_mac)::text AS mac,
	device.created_at, greatest(device.last_online_at, (
		SELECT presence.seen_at FROM presence WHERE presence.id = device.online_by)) AS last_online_at,
	entries_now(device.id, device.entry_count)::int8 AS entries,
	account.email AS account, false AS is_told
FROM device
JOIN account ON account.id = device.account_id
WHERE {after}
	AND :account_id IN (device.account_id, '00000000-0000-0000-0000-000000000000')
{order}
