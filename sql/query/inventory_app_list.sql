-- The apps of all accounts, or of one, oldest first, except apps that are being removed. with_broken:
-- also those that are broken. search: those that have a text in their name or slug.
-- params: account_id uuid, with_broken bool, wanted text
-- row: own_app
-- work: grows with apps
-- search: grows with apps
-- list: app.created_at, app.id
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
WHERE NOT app.is_removed AND (:with_broken OR app.broken_reason IS NULL)
	AND {after}
	{search: AND (position((SELECT lower(:wanted)) IN lower(app.name)) > 0
		OR position((SELECT lower(:wanted)) IN app.slug) > 0)}
	AND (app.account_id = :account_id OR :account_id = '00000000-0000-0000-0000-000000000000')
{order}
