-- All apps, or where an e-mail address is given, the apps of that account; oldest first. None that is
-- being removed. with_broken: also those that are broken.
-- params: account_email text?, with_broken bool
-- row: own_app
-- effect: read
-- work: grows with apps
SELECT app.id, app.slug, app.name, app.description, app.visibility, app.status,
	app_version.name AS version,
	(SELECT pending.name FROM app_version AS pending
		WHERE pending.app_id = app.id AND pending.status = 'PENDING') AS pending_version,
	app.created_at,
	(SELECT app_collection.name FROM app_collection WHERE app_collection.id = app.collection_id)
		AS collection,
	app.broken_reason
FROM app
LEFT JOIN account ON account.id = app.account_id
LEFT JOIN app_version ON app_version.id = app.deployed_version_id
WHERE NOT app.is_removed AND (:with_broken OR app.broken_reason IS NULL)
	AND (:account_email IS NULL OR lower(account.email) = lower(:account_email))
ORDER BY app.created_at, app.id
