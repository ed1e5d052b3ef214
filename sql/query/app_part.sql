-- A part of the apps that an account can install (see app_list): at most so many that come after a
-- place.
-- params: account_id uuid, after_name text, after_id uuid, row_limit int8
-- row: app_listed
-- effect: read
-- work: bounded
SELECT app.id, app.name, app.description, app_version.name AS version,
	coalesce(app.author, account.name) AS author_name
FROM app
JOIN app_version ON app_version.id = app.deployed_version_id
JOIN account ON account.id = app.account_id
WHERE app.status = 'active' AND (app.visibility <> 'private' OR app.account_id = :account_id)
	AND (app.name COLLATE "C", app.id) > (:after_name, :after_id)
ORDER BY app.name COLLATE "C", app.id
LIMIT :row_limit
