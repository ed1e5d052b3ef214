-- Number of an account's devices, whether the server has no other account, and the device that was imported before as
-- this one of a tronbyt server: devices of other accounts are not looked at. No row: the account is gone.
-- params: account_id uuid, former_id text
-- row: device_count int4, is_alone bool, device_id uuid?, device_name text?
SELECT account.device_count, is_only_account(account.id) AS is_alone, device.id AS device_id, device.name AS device_name
FROM account
LEFT JOIN device ON device.account_id = account.id AND device.imported_as = :former_id
WHERE account.id = :account_id AND account.closed_at IS NULL
