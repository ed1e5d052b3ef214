-- Stores a temporary image, which the device is to show now. No row: the device is gone. is_stored and is_full
-- say whether the account has room for it. room is what is left to the account then; it is summed up unless
-- the image has at most granted_bytes, granted under the limit that the account still has. is_close: the push
-- before it, of previous_generation, was stored within the last second.
-- params: device_id uuid, picture bytea, duration_s int4, is_held bool, is_waking bool,
--   granted_bytes int8, granted_limit int8
-- row: (push_stored)
-- commit: shared
WITH locked AS (
	SELECT id, account_id, generation, last_push_generation, pinned_installation_id,
		greatest(last_online_at, (SELECT presence.seen_at FROM presence WHERE presence.id = online_by)) AS last_online_at,
		connected_at IS NOT NULL AS has_connected,
		is_sleep_set, is_set_asleep, sleep_set_until, is_dim_set, is_set_dimmed, dim_set_until,
		last_push_at > present_time() - interval '1 second' AS is_close,
		false AS has_expired
	FROM device
	WHERE id = :device_id
	FOR NO KEY UPDATE
), asked AS MATERIALIZED (
	SELECT locked.*, account.byte_limit, CASE
			WHEN length(:picture) > :granted_bytes
				OR account.byte_limit <> :granted_limit
			THEN push_room(account_id, locked.id, NULL, true, length(:picture))
		END AS room
	FROM locked
	JOIN account ON account.id = locked.account_id
), shown AS (
	INSERT INTO showing (device_id, push_generation, picture, picture_hash, duration_s,
		held_generation, waking_generation)
	SELECT asked.id, asked.generation + 1, :picture, picture_name(:picture), :duration_s,
		CASE WHEN :is_held THEN asked.generation + 1 END,
		CASE WHEN :is_waking THEN asked.generation + 1 END
	FROM asked
	WHERE asked.room IS NULL OR asked.room >= 0
	ON CONFLICT (device_id) DO UPDATE
	SET push_generation = excluded.push_generation,
		installation_id = NULL,
		picture = excluded.picture,
		picture_hash = excluded.picture_hash,
		duration_s = excluded.duration_s,
		held_generation = excluded.held_generation,
		waking_generation = excluded.waking_generation,
		created_at = excluded.created_at,
		displayed_at = NULL,
		replaced_bytes = coalesce(length(showing.picture), 0)
	RETURNING device_id, coalesce(replaced_bytes, 0) AS replaced_bytes
), touched AS (
	UPDATE device
	SET generation = device.generation + 1,
		last_push_generation = device.generation + 1,
		last_push_at = present_time(),
		picture_bytes = greatest(0,
			device.picture_bytes + length(:picture) - shown.replaced_bytes)
	FROM shown
	WHERE device.id = shown.device_id
	RETURNING device.generation
), pushed AS (
	SELECT coalesce(touched.generation, asked.generation) AS generation,
		asked.last_push_generation AS previous_generation, asked.is_close,
		touched.generation IS NOT NULL AS is_stored, coalesce(asked.room < 0, false) AS is_full,
		asked.room IS NOT NULL AS is_summed, coalesce(asked.room, 0) AS room, asked.byte_limit,
		asked.has_expired, asked.pinned_installation_id, asked.last_online_at, asked.has_connected,
		asked.is_sleep_set, asked.is_set_asleep, asked.sleep_set_until,
		asked.is_dim_set, asked.is_set_dimmed, asked.dim_set_until
	FROM asked
	LEFT JOIN touched ON true
)
SELECT ROW({push_stored}) AS push_stored
FROM pushed
