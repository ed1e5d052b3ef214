-- Number of an account's devices, and the one that was imported before as this device of a
-- tronbyt server: devices of other accounts are not looked at. No row: the account is gone.
-- params: account_id uuid, former_id text
-- row: device_count int4, device_id uuid?, device_name text?
-- effect: read
-- work: bounded
SELECT account.device_count, device.id AS device_id, device.name AS device_name
FROM account
LEFT JOIN device ON device.account_id = account.id AND device.imported_as = :former_id
WHERE account.id = :account_id AND account.closed_at IS NULL
