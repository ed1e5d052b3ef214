-- All apps, or those of the account with this e-mail address, oldest first.
-- params: account_email text
-- row: id uuid, slug text, name text, description text, visibility text, status text,
--   version text, created_at timestamptz
-- effect: read
SELECT app.id, app.slug, app.name, app.description, app.visibility, app.status,
	app_version.name AS version, app.created_at
FROM app
JOIN account ON account.id = app.account_id
LEFT JOIN app_version ON app_version.id = app.deployed_version_id
WHERE $1 IS NULL OR lower(account.email) = lower($1)
ORDER BY app.created_at, app.id
