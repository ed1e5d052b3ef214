-- A part of the versions that await review, oldest first: at most so many after a list position.
-- params: account_id uuid, after_sequence int8, row_limit int8
-- row: review_entry
-- effect: read
-- work: bounded
SELECT app_version.id, app_version.name AS version, app_version.script_language, app.slug,
	app.name AS app_name, coalesce(account.name, '') AS author, deployed.name AS deployed_version,
	coalesce(app.account_id = :account_id, false) AS is_own, app_version.created_at,
	app_version.sequence
FROM app_version
JOIN app ON app.id = app_version.app_id
LEFT JOIN account ON account.id = app.account_id
LEFT JOIN app_version AS deployed ON deployed.id = app.deployed_version_id
WHERE app_version.status = 'PENDING' AND app_version.sequence > :after_sequence
	AND NOT app.is_removed
ORDER BY app_version.sequence
LIMIT :row_limit
