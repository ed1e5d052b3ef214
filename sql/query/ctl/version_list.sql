-- The versions of an app with their reviews, newest first: all, or the one of this name.
-- params: app_id uuid, version text?
-- row: app_version
-- effect: read
-- work: grows with the app's versions
SELECT app_version.id, app_version.name AS version, app_version.script_language,
	app_version.checksum, app_version.status, app_version.reviewed_at,
	app_version.rejection_reason, app_version.review_summary,
	review_comments(app_version.id) AS review_comments, app_version.created_at,
	app.deployed_version_id IS NOT DISTINCT FROM app_version.id AS deployed
FROM app_version
JOIN app ON app.id = app_version.app_id
WHERE app_version.app_id = :app_id AND (:version IS NULL OR app_version.name = :version)
ORDER BY app_version.sequence DESC
