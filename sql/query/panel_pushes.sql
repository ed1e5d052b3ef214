-- The newest pushes of some devices, for panels that know all but that one. A row has a picture
-- only if that differs from the one of the row before, as in panel_load. number is the index of the
-- device's ID in the array, from 1. No row: the device is gone, or something else has changed it
-- since the generation that the caller knows, and all of it is to be read.
-- params: ids uuid[], known_generations int8[]
-- row: number int8, generation int8, installation_id text?, picture bytea?, repeats_picture bool,
--   duration_s int4, in_background bool, is_held bool, is_waking bool, expires_in_ms int8
SELECT number, generation, installation_id,
	CASE WHEN NOT repeats_picture THEN picture END AS picture, repeats_picture, duration_s,
	in_background, is_held, is_waking, expires_in_ms
FROM (
	SELECT wanted.number, device.generation, push.installation_id, push.picture,
		push.duration_s, push.in_background, push.is_held, push.is_waking, push.expires_in_ms,
		coalesce(push.picture = lag(push.picture) OVER (), false) AS repeats_picture
	FROM unnest(:ids, :known_generations) WITH ORDINALITY AS wanted (id, known, number)
	JOIN device ON device.id = wanted.id AND device.generation = wanted.known + 1
	CROSS JOIN LATERAL (
		SELECT NULL::text AS installation_id, showing.picture, showing.duration_s,
			false AS in_background,
			coalesce(showing.held_generation = showing.push_generation, false) AS is_held,
			coalesce(showing.waking_generation = showing.push_generation, false) AS is_waking,
			0 AS expires_in_ms
		FROM showing
		WHERE showing.device_id = device.id
			AND showing.push_generation = device.generation
			AND showing.installation_id IS NULL AND showing.picture IS NOT NULL
		UNION ALL
		SELECT installation.id, installation.picture, 0,
			showing.push_generation IS NULL,
			coalesce(showing.held_generation = device.generation, false),
			coalesce(showing.waking_generation = device.generation, false),
			CASE WHEN installation.expires_at IS NULL THEN 0
				ELSE greatest(1, milliseconds_until(installation.expires_at)) END
		FROM installation
		LEFT JOIN showing ON showing.device_id = device.id
			AND showing.push_generation = device.generation
		WHERE installation.device_id = device.id
			AND installation.picture_generation = device.generation
			AND installation.picture IS NOT NULL
	) AS push
) AS loaded -- the order of its rows stays
