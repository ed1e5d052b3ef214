-- Stores a pushed image as an installation: a new one at the end of the rotation, or in place of
-- the image of the installation with this ID. Unless in_background, the device is to show it now.
-- No row: the device is gone. is_stored is false: the account has no room for the image, and is_full says
-- so, or the ID is that of an app's installation. room is what is left to the account then; it is summed up
-- unless the image has at most granted_bytes, granted under the limit that the account still has, or replaces
-- as many.
-- is_close: the push before it, of previous_generation, was stored within the last second.
-- expires_in_s 0: the installation stays. has_expired: nothing was stored, because the device has
-- installations that have expired; remove them first (device_expire).
-- params: device_id uuid, id text, picture bytea, in_background bool, expires_in_s int4,
--   is_held bool, is_waking bool, granted_bytes int8, granted_limit int8
-- row: (push_stored)
-- changes: device_id
-- commit: shared
-- refuse: device_entry_limit -> too_many_installations
WITH locked AS (
	SELECT id, account_id, generation, last_push_generation, schedule_interval_s,
		pinned_installation_id, connected_at IS NOT NULL AS has_connected,
		greatest(last_online_at, (SELECT presence.seen_at FROM presence WHERE presence.id = online_by)) AS last_online_at,
		is_sleep_set, is_set_asleep, sleep_set_until, is_dim_set, is_set_dimmed, dim_set_until,
		last_push_at > present_time() - interval '1 second' AS is_close, entry_count,
		EXISTS (
			SELECT
			FROM installation
			WHERE installation.device_id = :device_id
				AND installation.expires_at <= present_time()) AS has_expired
	FROM device
	WHERE id = :device_id
	FOR NO KEY UPDATE
), asked AS MATERIALIZED (
	SELECT locked.*, account.byte_limit, CASE
			WHEN length(:picture) > :granted_bytes
				OR account.byte_limit <> :granted_limit
			THEN push_room(account_id, locked.id, :id, NOT :in_background, length(:picture))
		END AS room
	FROM locked
	JOIN account ON account.id = locked.account_id
), stored AS (
	INSERT INTO installation (device_id, id, position, picture, picture_hash, picture_generation,
		expires_at, expires_generation)
	SELECT asked.id, :id, asked.generation + 1, :picture, picture_name(:picture),
		asked.generation + 1,
		CASE WHEN :expires_in_s > 0
			THEN present_time() + :expires_in_s * interval '1 second' END,
		asked.generation + 1
	FROM asked
	-- The cast refuses a new entry of a full device before its picture is written.
	WHERE CASE
		WHEN asked.has_expired OR asked.room < 0 THEN false
		WHEN EXISTS (SELECT FROM installation WHERE device_id = asked.id AND id = :id) THEN true
		ELSE (asked.entry_count + 1)::device_entry_count IS NOT NULL
	END
	ON CONFLICT (device_id, id) DO UPDATE
	SET picture = excluded.picture,
		picture_hash = excluded.picture_hash,
		picture_generation = excluded.picture_generation,
		expires_at = excluded.expires_at,
		expires_generation = excluded.expires_generation,
		replaced_at = present_time(),
		replaced_bytes = coalesce(length(installation.picture), 0)
	WHERE installation.app_id IS NULL
	-- A trigger counts the bytes of a new installation.
	RETURNING installation.device_id, installation.id,
		CASE WHEN installation.replaced_bytes IS NULL THEN 0
			ELSE length(:picture) - installation.replaced_bytes END AS more_bytes
), shown AS (
	INSERT INTO showing (device_id, push_generation, installation_id, duration_s, held_generation,
		waking_generation)
	SELECT asked.id, asked.generation + 1, stored.id, asked.schedule_interval_s,
		CASE WHEN :is_held THEN asked.generation + 1 END,
		CASE WHEN :is_waking THEN asked.generation + 1 END
	FROM asked, stored
	WHERE NOT :in_background
	ON CONFLICT (device_id) DO UPDATE
	SET push_generation = excluded.push_generation,
		installation_id = excluded.installation_id,
		picture = NULL,
		picture_hash = NULL,
		duration_s = excluded.duration_s,
		held_generation = excluded.held_generation,
		waking_generation = excluded.waking_generation,
		created_at = excluded.created_at,
		displayed_at = NULL,
		replaced_bytes = coalesce(length(showing.picture), 0)
	RETURNING replaced_bytes
), touched AS (
	UPDATE device
	SET generation = device.generation + 1,
		last_push_generation = device.generation + 1,
		last_push_at = present_time(),
		picture_bytes = greatest(0,
			device.picture_bytes + stored.more_bytes - coalesce(shown.replaced_bytes, 0))
	FROM stored
	LEFT JOIN shown ON true
	WHERE device.id = stored.device_id
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
