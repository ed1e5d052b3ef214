-- An app (by ID or slug) of any account, and how much it is used.
-- params: app text
-- row: own_app, account text?, versions int8, installations int8
-- work: grows with apps and installations
SELECT app.id, app.slug, app.name, app.description, app.visibility, app.status,
	app_version.name AS version,
	(SELECT pending.name FROM app_version AS pending
		WHERE pending.app_id = app.id AND pending.status = 'PENDING') AS pending_version,
	app.created_at,
	(SELECT app_collection.name FROM app_collection WHERE app_collection.id = app.collection_id)
		AS collection,
	app.broken_reason, account.email AS account, app.version_count::int8 AS versions,
	(SELECT count(*) FROM installation WHERE installation.app_id = app.id) AS installations
FROM app
LEFT JOIN account ON account.id = app.account_id
LEFT JOIN app_version ON app_version.id = app.deployed_version_id
WHERE app.id = app_told(:app) AND NOT app.is_removed
