-- The devices of the account with this e-mail address, oldest first.
-- params: account_email text
-- row: listed_device
-- effect: read
SELECT device.id, device.name, device.serial, device.mac::text AS mac, device.created_at,
	device.last_online_at
FROM device
JOIN account ON account.id = device.account_id
WHERE lower(account.email) = lower(:account_email)
ORDER BY device.created_at, device.id
