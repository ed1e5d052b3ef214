-- The apps that an account can install: active apps with a deployed version, all public ones and
-- its own private ones; at most 101, one more than a short list has.
-- params: account_id uuid
-- row: app_listed
-- effect: read
-- work: bounded
SELECT app.id, app.name, app.description, app_version.name AS version,
	coalesce(app.author, account.name) AS author_name
FROM app
JOIN app_version ON app_version.id = app.deployed_version_id
JOIN account ON account.id = app.account_id
WHERE app.status = 'active' AND (app.visibility <> 'private' OR app.account_id = :account_id)
ORDER BY app.name COLLATE "C", app.id
LIMIT 101
