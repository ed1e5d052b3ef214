-- All apps, or where an e-mail address is given, the apps of that account; oldest first.
-- params: account_email text?
-- row: app_row
-- effect: read
SELECT app.id, app.slug, app.name, app.description, app.visibility, app.status,
	app_version.name AS version, app.created_at
FROM app
LEFT JOIN account ON account.id = app.account_id
LEFT JOIN app_version ON app_version.id = app.deployed_version_id
WHERE :account_email IS NULL OR lower(account.email) = lower(:account_email)
ORDER BY app.created_at, app.id
