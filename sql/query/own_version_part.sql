-- A part of the versions of an app as its author's pages show them, newest first: at most so many
-- before a list position.
-- params: app_id uuid, before_sequence int8, row_limit int8
-- row: app_version, verdict text, sequence int8
-- effect: read
-- work: bounded
SELECT app_version.id, app_version.name AS version, app_version.script_language,
	app_version.checksum, app_version.status, app_version.reviewed_at,
	app_version.rejection_reason, app_version.review_summary,
	review_comments(app_version.id) AS review_comments, app_version.created_at,
	app.deployed_version_id IS NOT DISTINCT FROM app_version.id AS deployed,
	version_verdict(app_version.id) AS verdict, app_version.sequence
FROM app_version
JOIN app ON app.id = app_version.app_id
WHERE app_version.app_id = :app_id AND app_version.sequence < :before_sequence
ORDER BY app_version.sequence DESC
LIMIT :row_limit
