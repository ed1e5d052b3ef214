-- An app that an account can install (see app_list): by its ID, or if that is all zero, by its
-- slug.
-- params: account_id uuid, app_id uuid, slug text
-- row: catalogue_app
SELECT app.id, app.slug, app_path(:account_id, app.id, app.slug) AS path, app.name, app.description,
	app_version.name AS version,
	coalesce(app.author, account.name) AS author, app.account_id = :account_id AS is_own,
	app.visibility = 'private' AS is_private,
	coalesce(app_picture.picture_hash, app_own_picture.picture_hash) AS picture,
	app_still(app_version.id, app.id) AS still, app_hosts(app.id) AS hosts,
	app_collection.name AS collection, nullif(app.category, '') AS category,
	nullif(app.tags, '[]') AS tags, app.broken_reason
FROM app
JOIN app_version ON app_version.id = app.deployed_version_id
LEFT JOIN app_picture ON app_picture.version_id = app_version.id
LEFT JOIN app_own_picture ON app_own_picture.app_id = app.id
LEFT JOIN app_collection ON app_collection.id = app.collection_id
JOIN account ON account.id = app.account_id
WHERE app.status = 'active' AND (app.visibility <> 'private' OR app.account_id = :account_id)
	AND app.id = app_meant(:account_id, :app_id, :slug)
