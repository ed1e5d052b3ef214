-- Shows a pushed image of the rotation again, as if it had just been pushed: the entry and its image stay as they are.
-- No row: the device has no such image.
-- params: device_id uuid, id text
-- row: push_stored
WITH locked AS (
	SELECT device.id, device.generation, last_push_generation, schedule_interval_s,
		pinned_installation_id, connected_at IS NOT NULL AS has_connected,
		greatest(last_online_at, (SELECT presence.seen_at FROM presence WHERE presence.id = online_by)) AS last_online_at,
		is_sleep_set, is_set_asleep, sleep_set_until, is_dim_set, is_set_dimmed, dim_set_until,
		last_push_at > present_time() - interval '1 second' AS is_close
	FROM device
	WHERE device.id = :device_id
	FOR NO KEY UPDATE
), shown AS (
	INSERT INTO showing (device_id, push_generation, installation_id, duration_s)
	SELECT locked.id, locked.generation + 1, installation.id, locked.schedule_interval_s
	FROM locked
	JOIN installation ON installation.device_id = locked.id AND installation.id = :id
		AND installation.app_id IS NULL AND is_present(installation.expires_at)
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
		last_push_generation = device.generation + 1,
		last_push_at = present_time(),
		picture_bytes = greatest(0, device.picture_bytes - shown.replaced_bytes)
	FROM shown
	WHERE device.id = shown.device_id
	RETURNING device.generation
)
SELECT touched.generation, locked.last_push_generation AS previous_generation, locked.is_close,
	true AS is_stored, false AS is_full, false AS is_summed, 0::int8 AS room, 0::int8 AS byte_limit,
	false AS has_expired, locked.pinned_installation_id, locked.last_online_at, locked.has_connected,
	locked.is_sleep_set, locked.is_set_asleep, locked.sleep_set_until,
	locked.is_dim_set, locked.is_set_dimmed, locked.dim_set_until
FROM locked, touched
