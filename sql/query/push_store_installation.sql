-- Stores a pushed image as an installation: a new one at the end of the rotation, or in place of
-- the image of the installation with this ID. Unless in_background, the device is to show it now.
-- No row: the device is gone. is_stored is false: the ID is that of an app's installation.
-- is_close: the push before it, of previous_generation, was stored within the last second.
-- params: device_id uuid, id text, picture bytea, in_background bool
-- row: push_stored
-- effect: write
-- work: bounded
-- commit: shared
-- refuse: device_entry_limit -> too_many_installations
WITH locked AS (
	SELECT id, last_push_generation, last_push_at
	FROM device
	WHERE id = :device_id
	FOR NO KEY UPDATE
), touched AS (
	UPDATE device
	SET generation = device.generation + 1,
		last_push_generation = device.generation + 1,
		last_push_at = present_time()
	FROM locked
	WHERE device.id = locked.id
	RETURNING device.id, device.generation, device.schedule_interval_s,
		locked.last_push_generation AS previous_generation,
		locked.last_push_at > present_time() - interval '1 second' AS is_close
), stored AS (
	INSERT INTO installation (device_id, id, position, picture, picture_hash, picture_generation)
	SELECT touched.id, :id, touched.generation, :picture, picture_name(:picture),
		touched.generation
	FROM touched
	ON CONFLICT (device_id, id) DO UPDATE
	SET picture = excluded.picture,
		picture_hash = excluded.picture_hash,
		picture_generation = excluded.picture_generation,
		replaced_at = present_time()
	WHERE installation.app_id IS NULL
	RETURNING installation.device_id, installation.id
), shown AS (
	INSERT INTO showing (device_id, push_generation, installation_id, duration_s)
	SELECT touched.id, touched.generation, stored.id, touched.schedule_interval_s
	FROM touched, stored
	WHERE NOT :in_background
	ON CONFLICT (device_id) DO UPDATE
	SET push_generation = excluded.push_generation,
		installation_id = excluded.installation_id,
		picture = NULL,
		picture_hash = NULL,
		duration_s = excluded.duration_s,
		created_at = excluded.created_at,
		displayed_at = NULL
)
SELECT touched.generation, touched.previous_generation, touched.is_close,
	EXISTS (SELECT FROM stored) AS is_stored
FROM touched
