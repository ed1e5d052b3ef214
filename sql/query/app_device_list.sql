-- The devices of an account and where an app is installed on them, oldest first. The app:
-- by its ID, or if that is all zero, by its slug.
-- params: account_id uuid, app_id uuid, slug text
-- row: app_device
-- work: grows with the account's entries
-- list: device.created_at, device.id
SELECT device.id, device.name, entries_now(device.id, device.entry_count) AS entry_count, coalesce((
		SELECT json_agg(installation.id ORDER BY installation.position)
		FROM installation
		WHERE installation.device_id = device.id
			AND installation.app_id = (SELECT app_meant(:account_id, :app_id, :slug))), '[]')::text AS installations,
	device.created_at
FROM device
WHERE device.account_id = :account_id AND {after}
{order}
