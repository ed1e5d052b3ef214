-- Summarizes the renders of an app's deployed version. failures: the twenty newest failed renders,
-- as JSON, without text from their settings and without their log. No row: the app is gone.
-- own_log: the log of the newest render that the author's own devices show. paused_until: that of
-- the whole version; not set if only the settings of one other owner crash the version.
-- params: app_id uuid
-- row: app_renders
-- work: grows with installations
SELECT version.name AS version,
	(SELECT count(*) FROM installation WHERE installation.app_id = app.id) AS installations,
	made.renders, made.failing, made.rendered_at, made.average_ms,
	CASE WHEN pause.paused_until > present_time() THEN pause.paused_until END AS paused_until,
	coalesce((
		SELECT string_agg(jsonb_build_object('problem',
			failed.problem::jsonb || jsonb_build_object('message',
				failed.problem::jsonb -> 'authorMessage'), 'renderedAt',
			json_timestamp(failed.rendered_at), 'failures', greatest(failed.failures, 1),
			'pausedUntil', json_timestamp(CASE WHEN failed.paused_until > present_time()
				THEN failed.paused_until END))::text, chr(10) ORDER BY failed.rendered_at DESC)
		FROM (
			SELECT place, version_id
			FROM render
			WHERE version_id = version.id AND problem IS NOT NULL AND rendered_at IS NOT NULL
			ORDER BY rendered_at DESC
			LIMIT 20
		) AS newest
		JOIN render AS failed ON failed.place = newest.place
			AND failed.version_id = newest.version_id
	), '') AS failures,
	app_hosts(app.id) AS hosts,
	coalesce((
		SELECT own.log
		FROM installation
		JOIN render AS own ON own.place = installation.place
			AND own.version_id = version.id AND own.rendered_at IS NOT NULL
		WHERE installation.app_id = app.id AND installation.owner_id = app.account_id
		ORDER BY own.rendered_at DESC
		LIMIT 1
	), '') AS own_log
FROM app
LEFT JOIN app_version AS version ON version.id = app.deployed_version_id
LEFT JOIN version_crashes AS pause ON pause.version_id = version.id
	AND (pause.account_id IS NULL OR pause.account_id = app.account_id)
CROSS JOIN LATERAL (
	SELECT count(*) AS renders, count(problem) AS failing, max(rendered_at) AS rendered_at,
		ceil(avg(took_us) / 1000)::int8 AS average_ms
	FROM (
		SELECT problem, rendered_at, took_us
		FROM render
		WHERE version_id = version.id AND rendered_at IS NOT NULL
		ORDER BY rendered_at DESC
		LIMIT 1000
	) AS newest
) AS made
WHERE app.id = :app_id
