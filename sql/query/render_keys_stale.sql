-- Finds the render keys whose deployed version or render has changed since the caller read
-- them. number is the index of the render key in the array, from 1; render keys are hexadecimal.
-- params: render_keys text[], app_generations int8[], render_generations int8[]
-- row: number int8
SELECT wanted.number
FROM unnest(:render_keys, :app_generations, :render_generations)
	WITH ORDINALITY AS wanted (render_key, app_known, render_known, number)
CROSS JOIN LATERAL (
	SELECT app_id
	FROM installation
	WHERE installation.place = decode(wanted.render_key, 'hex')
	LIMIT 1
) AS installation
JOIN app ON app.id = installation.app_id
LEFT JOIN render ON render.place = decode(wanted.render_key, 'hex')
	AND render.version_id = app.deployed_version_id
WHERE app.generation > wanted.app_known
	OR (app.generation = wanted.app_known
		AND coalesce(render.generation, 0) > wanted.render_known)
