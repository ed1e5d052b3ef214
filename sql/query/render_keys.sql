-- Reads what the installations with some render keys are to show. A row has its picture
-- only if the caller knows another one, and while all pictures together have at most 8 MiB.
-- version_id: the deployed version; none: the render key is not rendered. due_in_ms: when it is to
-- be rendered again at the earliest. number is the index of the render key in the array, from 1;
-- render keys are hexadecimal. No row: no installation has the render key.
-- params: render_keys text[], known_generations int8[]
-- row: number int8, app_id uuid, version_id uuid?, app_generation int8, render_generation int8,
--   has_nothing bool, picture_generation int8, picture bytea?, is_whole bool, due_in_ms int8,
--   is_each_turn bool, moment_s int8
SELECT wanted.number, entry.app_id, entry.version_id, entry.app_generation,
	entry.generation AS render_generation, entry.has_nothing,
	CASE WHEN entry.is_own THEN entry.picture_generation ELSE 0 END AS picture_generation,
	CASE WHEN entry.is_own AND entry.picture_generation <> wanted.known
		AND sum(length(entry.picture)) FILTER (WHERE entry.picture_generation <> wanted.known)
			OVER (ORDER BY wanted.number) <= 8 * 1024 * 1024
	THEN entry.picture END AS picture,
	entry.is_whole, milliseconds_until(entry.due_at) AS due_in_ms, entry.is_each_turn, entry.moment_s
FROM unnest(:render_keys, :known_generations) WITH ORDINALITY AS wanted (render_key, known, number)
CROSS JOIN LATERAL (
	SELECT device_id, id
	FROM installation
	WHERE installation.place = decode(wanted.render_key, 'hex')
	LIMIT 1
) AS installation
JOIN app_entry AS entry
	ON entry.device_id = installation.device_id AND entry.id = installation.id
ORDER BY wanted.number
