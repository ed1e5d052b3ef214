-- The devices of the account with this e-mail address, oldest first.
-- params: account_email text
-- row: id uuid, name text, serial text, mac text, created_at timestamptz,
--   last_online_at timestamptz
-- effect: read
SELECT device.id, device.name, device.serial, device.mac::text AS mac, device.created_at,
	device.last_online_at
FROM device
JOIN account ON account.id = device.account_id
WHERE lower(account.email) = lower($1)
ORDER BY device.created_at, device.id
