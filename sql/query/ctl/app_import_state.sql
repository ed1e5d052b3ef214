-- Finds the apps of a collection with these slugs, for an import to compare with a checkout. The
-- version is the name of the deployed one.
-- params: account_id uuid, collection_id uuid, slugs text[]
-- row: slug text, is_own bool, imported_as text, name text, description text, author text,
--   version text, category text, tags text, broken_reason text, picture_hash bytea?
-- effect: read
-- work: bounded
SELECT app.slug, coalesce(app.account_id = :account_id, false) AS is_own,
	coalesce(app.imported_as, '') AS imported_as, app.name, app.description,
	coalesce(app.author, '') AS author, coalesce(app_version.name, '') AS version,
	app.category, app.tags, coalesce(app.broken_reason, '') AS broken_reason,
	app_own_picture.source_hash AS picture_hash
FROM app
LEFT JOIN app_version ON app_version.id = app.deployed_version_id
LEFT JOIN app_own_picture ON app_own_picture.app_id = app.id
WHERE app.collection_id = :collection_id AND app.slug = ANY (:slugs)
