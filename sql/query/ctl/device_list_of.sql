-- All devices, or where an e-mail address is given, those of that account; oldest first.
-- params: account_email text?
-- row: listed_device
-- effect: read
-- work: grows with devices
SELECT device.id, device.name, device.serial, coalesce(device.mac, device.told_mac)::text AS mac, device.created_at,
	device.last_online_at, account.email AS account
FROM device
JOIN account ON account.id = device.account_id
WHERE :account_email IS NULL OR lower(account.email) = lower(:account_email)
ORDER BY device.created_at, device.id
