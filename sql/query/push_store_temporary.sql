-- Stores a temporary image, which the device is to show now. No row: the device is gone. is_close:
-- the push before it, of previous_generation, was stored within the last second.
-- params: device_id uuid, picture bytea, duration_s int4
-- row: push_stored
-- effect: write
-- work: bounded
-- commit: shared
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
), shown AS (
	INSERT INTO showing (device_id, push_generation, picture, picture_hash, duration_s)
	SELECT touched.id, touched.generation, :picture, picture_name(:picture), :duration_s
	FROM touched
	ON CONFLICT (device_id) DO UPDATE
	SET push_generation = excluded.push_generation,
		installation_id = NULL,
		picture = excluded.picture,
		picture_hash = excluded.picture_hash,
		duration_s = excluded.duration_s,
		created_at = excluded.created_at,
		displayed_at = NULL
)
SELECT generation, previous_generation, is_close, true AS is_stored
FROM touched
