-- A part of the devices of an account and where an app is installed on them (see app_device_list),
-- oldest first, at most so many after a list position.
-- params: account_id uuid, app_id uuid, slug text, after_created_at timestamptz,
--   after_id uuid, row_limit int8
-- row: app_device
-- effect: read
-- work: grows with the account's entries
SELECT device.id, device.name, entries_now(device.id, device.entry_count) AS entry_count, coalesce((
		SELECT json_agg(installation.id ORDER BY installation.position)
		FROM installation
		WHERE installation.device_id = device.id
			AND installation.app_id = (SELECT app_meant(:account_id, :app_id, :slug))), '[]')::text AS installations,
	device.created_at
FROM device
WHERE device.account_id = :account_id
	AND (device.created_at, device.id) > (:after_created_at, :after_id)
ORDER BY device.created_at, device.id
LIMIT :row_limit
