-- The apps that an account can install (see app_list) whose name, slug, summary or author has a
-- text; at most 101, one more than a short list has.
-- params: account_id uuid, wanted text
-- row: catalogue_app
-- effect: read
-- work: grows with apps
SELECT app.id, app.slug, app.name, app.description, app_version.name AS version,
	coalesce(app.author, account.name) AS author, app.account_id = :account_id AS is_own,
	app.visibility = 'private' AS is_private,
	app_picture.picture_hash AS picture, app_hosts(app.id) AS hosts
FROM app
JOIN app_version ON app_version.id = app.deployed_version_id
LEFT JOIN app_picture ON app_picture.version_id = app_version.id
JOIN account ON account.id = app.account_id
WHERE app.status = 'active' AND (app.visibility <> 'private' OR app.account_id = :account_id)
	AND position(lower(:wanted) IN lower(concat_ws(E'\n', app.name, app.slug, app.description,
		coalesce(app.author, account.name)))) > 0
ORDER BY app.name COLLATE "C", app.id
LIMIT 101
