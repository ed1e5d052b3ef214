-- The entry of a device that a program of /v0 shows by its ID alone: a pushed image, or an app's installation. No row:
-- the device has no such entry. display_s: length of its turns.
-- params: device_id uuid, id text
-- row: id text, is_pushed bool, display_s int4
SELECT installation.id, installation.app_id IS NULL AS is_pushed,
	coalesce(installation.display_s, device.schedule_interval_s) AS display_s
FROM device
JOIN installation ON installation.device_id = device.id AND is_present(installation.expires_at)
	AND installation.id = (SELECT entry_meant(:device_id, :id))
WHERE device.id = :device_id
