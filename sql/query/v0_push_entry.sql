-- The entry of a device that a program of /v0 shows by its ID alone. No row: the device has no such
-- entry. The picture is that of a pushed image; NULL: it is an app's installation. expires_in_s:
-- until the pushed image is removed; 0: it stays. display_s: length of its turns.
-- params: device_id uuid, id text
-- row: id text, picture bytea?, expires_in_s int4, display_s int4
-- effect: read
-- work: bounded
SELECT installation.id, CASE WHEN installation.app_id IS NULL THEN installation.picture END AS picture,
	coalesce(greatest(1, ceil(extract(epoch FROM installation.expires_at - present_time()))), 0)::int4 AS expires_in_s,
	coalesce(installation.display_s, device.schedule_interval_s) AS display_s
FROM device
JOIN installation ON installation.device_id = device.id AND is_present(installation.expires_at)
	AND installation.id = entry_meant(:device_id, :id)
WHERE device.id = :device_id
