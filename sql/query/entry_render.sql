-- How an installation of an app was rendered last: what the deployed version made. No row: the device
-- has no such installation of an app.
-- params: device_id uuid, id text
-- row: entry_render
-- effect: read
SELECT render.rendered_at, (render.took_us + 999) / 1000 AS took_ms, coalesce(render.log, '') AS log,
	coalesce(render.problem, '') AS problem,
	CASE WHEN render.paused_until > clock_timestamp() THEN render.paused_until END AS paused_until,
	coalesce(render.has_nothing, false) AS has_nothing, coalesce(render.hosts, '') AS hosts
FROM installation
JOIN app ON app.id = installation.app_id
LEFT JOIN render ON render.place = installation.place
	AND render.version_id = app.deployed_version_id AND render.rendered_at IS NOT NULL
WHERE installation.device_id = :device_id AND installation.id = :id
