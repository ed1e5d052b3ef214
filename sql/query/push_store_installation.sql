-- Stores a pushed image as an entry of the rotation: a new one at its end, or in place of the image
-- of the entry with this ID. Unless in_background, the device is to show it now.
-- No row: the device is gone. Not stored: the ID is that of an app's installation.
-- is_close: another push was stored a moment ago, under previous_generation.
-- params: device_id uuid, id text, picture bytea, in_background bool
-- row: push_stored
-- effect: write
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
		last_push_at = clock_timestamp()
	FROM locked
	WHERE device.id = locked.id
	RETURNING device.id, device.generation, device.schedule_interval_s,
		locked.last_push_generation AS previous_generation,
		locked.last_push_at > clock_timestamp() - interval '1 second' AS is_close
), entry AS (
	INSERT INTO installation (device_id, id, position, picture, picture_generation)
	SELECT touched.id, :id, touched.generation, :picture, touched.generation
	FROM touched
	ON CONFLICT (device_id, id) DO UPDATE
	SET picture = excluded.picture,
		picture_generation = excluded.picture_generation
	WHERE installation.app_id IS NULL
	RETURNING installation.device_id, installation.id
), shown AS (
	INSERT INTO showing (device_id, push_generation, installation_id, duration_s)
	SELECT touched.id, touched.generation, entry.id, touched.schedule_interval_s
	FROM touched, entry
	WHERE NOT :in_background
	ON CONFLICT (device_id) DO UPDATE
	SET push_generation = excluded.push_generation,
		installation_id = excluded.installation_id,
		picture = NULL,
		duration_s = excluded.duration_s,
		created_at = excluded.created_at,
		displayed_at = NULL
)
SELECT touched.generation, touched.previous_generation, touched.is_close,
	EXISTS (SELECT FROM entry) AS is_stored
FROM touched
