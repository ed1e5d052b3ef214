-- Disables an app (by ID or slug), or gives it back the state that follows from its versions.
-- params: app text, is_disabled bool
-- row: own_app
-- effect: write
-- work: grows with apps
-- refuse: app_owner -> app_without_owner
WITH changed AS (
	UPDATE app
	SET generation = app.generation + 1,
		status = CASE
			WHEN :is_disabled THEN 'disabled'
			WHEN app.deployed_version_id IS NOT NULL THEN 'active'
			WHEN app.is_submitted THEN 'pending'
			ELSE 'draft'
		END
	WHERE app.id = app_told(:app) AND NOT app.is_removed
	RETURNING *
), told AS (
	SELECT pg_notify('displayd_hint', 'app:' || id || ':' || generation)
	FROM changed
)
SELECT changed.id, changed.slug, changed.name, changed.description, changed.visibility,
	changed.status, app_version.name AS version,
	(SELECT pending.name FROM app_version AS pending
		WHERE pending.app_id = changed.id AND pending.status = 'PENDING') AS pending_version,
	changed.created_at,
	(SELECT app_collection.name FROM app_collection WHERE app_collection.id = changed.collection_id)
		AS collection,
	changed.broken_reason
FROM told, changed
LEFT JOIN app_version ON app_version.id = changed.deployed_version_id
