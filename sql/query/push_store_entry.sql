-- Stores a pushed image as an entry of the rotation: a new one at its end, or in place of the image
-- of the entry with this ID. Unless in_background, the device is to show it now.
-- No row: the device is gone. Not stored: the ID is that of an app's installation.
-- params: device_id uuid, id text, picture bytea, in_background bool
-- row: generation int8, is_stored bool
-- effect: write
-- refuse: device_entry_limit -> too_many_entries
WITH touched AS (
	UPDATE device
	SET generation = generation + 1
	WHERE id = $1
	RETURNING id, generation, schedule_interval_s
), entry AS (
	INSERT INTO installation (device_id, id, position, picture, picture_generation)
	SELECT touched.id, $2, touched.generation, $3, touched.generation
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
	WHERE NOT $4
	ON CONFLICT (device_id) DO UPDATE
	SET push_generation = excluded.push_generation,
		installation_id = excluded.installation_id,
		picture = NULL,
		duration_s = excluded.duration_s,
		created_at = excluded.created_at,
		displayed_at = NULL
)
SELECT touched.generation, EXISTS (SELECT FROM entry) AS is_stored
FROM touched
