-- The versions that await review, oldest first.
-- params: account_id uuid
-- row: review_entry
-- list: app_version.sequence
SELECT app_version.id, app_version.name AS version, app_version.script_language, app.slug,
	app.name AS app_name, coalesce(account.name, '') AS author, deployed.name AS deployed_version,
	coalesce(app.account_id = :account_id, false) AS is_own, app_version.created_at,
	app_version.sequence
FROM app_version
JOIN app ON app.id = app_version.app_id
LEFT JOIN account ON account.id = app.account_id
LEFT JOIN app_version AS deployed ON deployed.id = app.deployed_version_id
	AND deployed.review_summary IS DISTINCT FROM own_approval()
WHERE app_version.status = 'PENDING' AND NOT app.is_removed AND {after}
{order}
