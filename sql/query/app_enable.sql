-- Disables an app (by ID or slug), or takes it back to the state that its versions give it.
-- params: app text, is_disabled bool
-- row: id uuid, slug text, name text, description text, visibility text, status text,
--   version text, created_at timestamptz
-- effect: write
WITH changed AS (
	UPDATE app
	SET generation = app.generation + 1,
		status = CASE
			WHEN $2 THEN 'disabled'
			WHEN app.deployed_version_id IS NOT NULL THEN 'active'
			WHEN app.is_submitted THEN 'pending'
			ELSE 'draft'
		END
	WHERE app.id::text = lower($1) OR app.slug = $1
	RETURNING *
), told AS (
	SELECT pg_notify('displayd_hint', 'app:' || id || ':' || generation)
	FROM changed
)
SELECT changed.id, changed.slug, changed.name, changed.description, changed.visibility,
	changed.status, app_version.name AS version, changed.created_at
FROM told, changed
LEFT JOIN app_version ON app_version.id = changed.deployed_version_id
