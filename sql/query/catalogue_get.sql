-- An app that an account can install (see app_list): by its ID, or where that is all zero, by its
-- slug.
-- params: account_id uuid, app_id uuid, slug text
-- row: catalogue_app
-- effect: read
SELECT app.id, app.slug, app.name, app.description, app_version.name AS version,
	account.name AS author, app.account_id = :account_id AS is_own,
	app.visibility = 'private' AS is_private
FROM app
JOIN app_version ON app_version.id = app.deployed_version_id
JOIN account ON account.id = app.account_id
WHERE app.status = 'active' AND (app.visibility <> 'private' OR app.account_id = :account_id)
	AND (app.id = :app_id OR app.slug = :slug)
