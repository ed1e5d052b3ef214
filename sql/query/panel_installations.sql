-- The installations of some devices, in the order of their rotations: pushed ones, and those of
-- apps, with or without a picture. A pushed one has its picture only if that is newer than the
-- generation that the caller knows, and while all pictures together have at most 16 MiB: the caller
-- fetches others when their turn comes, and the pictures of apps by their render keys (column
-- place). number is the index of the device's ID in the array, from 1. version_id: the version that
-- an app's installation shows; none: it is not rendered. due_in_ms: when it is to be rendered again
-- at the earliest. expires_in_ms: when the entry expires, at least 1, even if it expires while it
-- is read; 0: it stays. recurrence_days: the days on which its rule shows it, from recurrence_from on,
-- which counts from 1970-01-01, day_count of them; none: each day.
-- params: device_ids uuid[], known_generations int8[], day_count int4
-- row: number int8, id text, position int8, picture_generation int8, picture bytea?,
--   is_enabled bool, display_s int4?, has_hours bool, start_minute int2?, end_minute int2?,
--   weekdays int2, render_key bytea?, app_id uuid?, version_id uuid?, app_generation int8,
--   render_generation int8, has_nothing bool, is_whole bool, due_in_ms int8,
--   is_each_turn bool, expires_in_ms int8, color_filter text,
--   plays_whole bool, pins_itself bool, recurrence_from int4?, recurrence_days int8?
SELECT wanted.number, installation.id, installation.position,
	coalesce(entry.picture_generation, installation.picture_generation) AS picture_generation,
	CASE WHEN installation.picture_generation > wanted.known
		AND sum(length(installation.picture))
			FILTER (WHERE installation.picture_generation > wanted.known)
			OVER (ORDER BY wanted.number, installation.rank) <= 16 * 1024 * 1024
	THEN installation.picture END AS picture,
	installation.is_enabled, installation.display_s,
	installation.start_minute IS NOT NULL AS has_hours, installation.start_minute,
	installation.end_minute, installation.weekdays,
	installation.place AS render_key, installation.app_id, entry.version_id,
	coalesce(entry.app_generation, 0) AS app_generation,
	coalesce(entry.generation, 0) AS render_generation,
	coalesce(entry.has_nothing, false) AS has_nothing, coalesce(entry.is_whole, false) AS is_whole,
	coalesce(milliseconds_until(entry.due_at), 0) AS due_in_ms,
	coalesce(entry.is_each_turn, false) AS is_each_turn,
	CASE WHEN installation.expires_at IS NULL THEN 0
		ELSE greatest(1, milliseconds_until(installation.expires_at)) END AS expires_in_ms,
	installation.color_filter, installation.plays_whole, installation.pins_itself,
	recurrence.from_day AS recurrence_from, recurrence.days AS recurrence_days
FROM unnest(:device_ids, :known_generations) WITH ORDINALITY AS wanted (id, known, number)
CROSS JOIN LATERAL (
	SELECT *
	FROM installation
	WHERE installation.device_id = wanted.id
		AND (installation.picture IS NOT NULL OR installation.app_id IS NOT NULL)
		AND is_present(installation.expires_at)
	OFFSET 0 -- one look-up a device, whatever the planner thinks
) AS installation
LEFT JOIN app_entry AS entry
	ON entry.device_id = installation.device_id AND entry.id = installation.id
LEFT JOIN LATERAL (
	SELECT recurrence_days(recurrence_rule, recurrence_start, yesterday, :day_count) AS days,
		yesterday - date '1970-01-01' AS from_day
	FROM device
	CROSS JOIN LATERAL (SELECT (present_time() AT TIME ZONE timezone)::date - 1 AS yesterday) AS local
	WHERE device.id = wanted.id AND (recurrence_rule <> '' OR recurrence_start <> '')
) AS recurrence ON true
ORDER BY wanted.number, installation.rank
