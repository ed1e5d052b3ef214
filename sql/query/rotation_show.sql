-- Has a device show an entry of its rotation now, as after a push of it. is_shown is false: the entry
-- has no picture yet. No row: the device has no such entry.
-- params: device_id uuid, id text
-- row: generation int8, is_shown bool
-- refuse: showing_device_id_installation_id_fkey -> entry_gone
WITH locked AS (
	SELECT id, generation, schedule_interval_s
	FROM device
	WHERE id = :device_id
	FOR NO KEY UPDATE
), entry AS (
	SELECT installation.id, coalesce(app_entry.picture, installation.picture) IS NOT NULL
			AS has_picture, locked.id AS device_id, locked.generation,
		locked.schedule_interval_s
	FROM locked
	JOIN installation ON installation.device_id = locked.id
	LEFT JOIN app_entry
		ON app_entry.device_id = installation.device_id AND app_entry.id = installation.id
	WHERE installation.id = :id AND is_present(installation.expires_at)
), shown AS (
	INSERT INTO showing (device_id, push_generation, installation_id, duration_s)
	SELECT entry.device_id, entry.generation + 1, entry.id, entry.schedule_interval_s
	FROM entry
	WHERE entry.has_picture
	ON CONFLICT (device_id) DO UPDATE
	SET push_generation = excluded.push_generation,
		installation_id = excluded.installation_id,
		picture = NULL,
		picture_hash = NULL,
		duration_s = excluded.duration_s,
		held_generation = NULL,
		waking_generation = NULL,
		created_at = excluded.created_at,
		displayed_at = NULL,
		replaced_bytes = coalesce(length(showing.picture), 0)
	RETURNING device_id, coalesce(replaced_bytes, 0) AS replaced_bytes
), touched AS (
	UPDATE device
	SET generation = device.generation + 1,
		picture_bytes = greatest(0, device.picture_bytes - shown.replaced_bytes)
	FROM shown
	WHERE device.id = shown.device_id
	RETURNING device.generation
)
SELECT coalesce((SELECT generation FROM touched), entry.generation) AS generation,
	entry.has_picture AS is_shown
FROM entry
