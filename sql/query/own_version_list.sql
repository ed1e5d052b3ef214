-- The versions of an app as its author's pages show them, newest first; at most 101, one more than a
-- short list has.
-- params: app_id uuid
-- row: app_version, compile_problem text
-- effect: read
SELECT app_version.id, app_version.name AS version, app_version.script_language,
	app_version.checksum, app_version.status, app_version.reviewed_at,
	app_version.rejection_reason, app_version.review_summary,
	review_comments(app_version.id) AS review_comments, app_version.created_at,
	app.deployed_version_id IS NOT DISTINCT FROM app_version.id AS deployed,
	compile_problem(app_version.id) AS compile_problem
FROM app_version
JOIN app ON app.id = app_version.app_id
WHERE app_version.app_id = :app_id
ORDER BY app_version.sequence DESC
LIMIT 101
