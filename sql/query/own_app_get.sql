-- An app as its author sees it. No row: it is gone.
-- params: id uuid
-- row: own_app
SELECT app.id, app.slug, app.name, app.description, app.visibility, app.status,
	app_version.name AS version,
	(SELECT pending.name FROM app_version AS pending
		WHERE pending.app_id = app.id AND pending.status = 'PENDING') AS pending_version,
	app.created_at,
	(SELECT app_collection.name FROM app_collection WHERE app_collection.id = app.collection_id)
		AS collection,
	app.broken_reason
FROM app
LEFT JOIN app_version ON app_version.id = app.deployed_version_id
WHERE app.id = :id
