-- A device with all that is known of it, and whose it is.
-- params: id uuid
-- row: device, device_more, account text, entries int8
-- effect: read
-- work: bounded
SELECT device.{device}, device_more.{device_more}, account.email AS account,
	entries_now(device.id, device.entry_count)::int8 AS entries
FROM device
JOIN device_more ON device_more.device_id = device.id
JOIN account ON account.id = device.account_id
WHERE device.id = :id
