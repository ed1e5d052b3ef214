-- What stands against the import of a device from a tronbyt server. device_id: the account's device that was imported
-- from it before. No row: the account is gone.
-- params: account_id uuid, former_id text
-- row: device_count int4, device_id uuid?, device_name text?, is_alias_taken bool
-- effect: read
-- work: bounded
SELECT account.device_count, device.id AS device_id, device.name AS device_name,
	EXISTS (SELECT FROM device AS other WHERE other.alias = :former_id) AS is_alias_taken
FROM account
LEFT JOIN device ON device.account_id = account.id AND device.imported_as = :former_id
WHERE account.id = :account_id AND account.closed_at IS NULL
