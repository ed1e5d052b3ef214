-- Has a device show an entry of its rotation now, as after a push of it. is_shown is false: the entry
-- has no picture yet. No row: the device has no such entry.
-- params: device_id uuid, id text
-- row: generation int8, is_shown bool
-- effect: write
-- work: bounded
-- refuse: showing_device_id_installation_id_fkey -> entry_gone
WITH locked AS (
	SELECT id, generation
	FROM device
	WHERE id = :device_id
	FOR NO KEY UPDATE
), entry AS (
	SELECT installation.id, coalesce(app_entry.picture, installation.picture) IS NOT NULL
			AS has_picture, locked.generation
	FROM locked
	JOIN installation ON installation.device_id = locked.id
	LEFT JOIN app_entry
		ON app_entry.device_id = installation.device_id AND app_entry.id = installation.id
	WHERE installation.id = :id
), touched AS (
	UPDATE device
	SET generation = device.generation + 1
	FROM entry
	WHERE device.id = :device_id AND entry.has_picture
	RETURNING device.id, device.generation, device.schedule_interval_s
), shown AS (
	INSERT INTO showing (device_id, push_generation, installation_id, duration_s)
	SELECT touched.id, touched.generation, entry.id, touched.schedule_interval_s
	FROM touched, entry
	ON CONFLICT (device_id) DO UPDATE
	SET push_generation = excluded.push_generation,
		installation_id = excluded.installation_id,
		picture = NULL,
		picture_hash = NULL,
		duration_s = excluded.duration_s,
		created_at = excluded.created_at,
		displayed_at = NULL
)
SELECT coalesce((SELECT generation FROM touched), entry.generation) AS generation,
	entry.has_picture AS is_shown
FROM entry
