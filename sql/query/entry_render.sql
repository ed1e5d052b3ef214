-- Describes the last render of an app's installation by the deployed version. is_version_paused:
-- the installation waits for a pause of the whole version. No row: the device has no such
-- installation of an app.
-- params: device_id uuid, id text
-- row: entry_render
SELECT render.rendered_at, (render.took_us + 999) / 1000 AS took_ms, coalesce(render.log, '') AS log,
	coalesce(render.problem, '') AS problem,
	CASE WHEN pause.until > present_time() THEN pause.until END AS paused_until,
	coalesce(pause.until > present_time() AND held.paused_until = pause.until, false)
		AS is_version_paused,
	coalesce(render.has_nothing, false) AS has_nothing, coalesce(render.hosts, '') AS hosts
FROM installation
JOIN app ON app.id = installation.app_id
LEFT JOIN render ON render.place = installation.place
	AND render.version_id = app.deployed_version_id AND render.rendered_at IS NOT NULL
LEFT JOIN version_crashes AS held ON held.version_id = app.deployed_version_id
	AND (held.account_id IS NULL
		OR NOT is_place_of_others(installation.place, held.account_id))
	AND (render.good_at IS NULL OR render.failures > 0)
CROSS JOIN LATERAL (
	SELECT greatest(render.paused_until, held.paused_until) AS until
) AS pause
WHERE installation.device_id = :device_id AND installation.id = :id
