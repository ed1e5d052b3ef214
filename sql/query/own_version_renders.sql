-- Removes some renders of a version that is not the deployed one, before the version is removed.
-- Locked rows are left to that removal.
-- params: app_id uuid, id uuid, row_limit int8
-- row: removed int8
WITH portion AS (
	SELECT render.place, render.version_id
	FROM app
	JOIN app_version ON app_version.app_id = app.id
	JOIN render ON render.version_id = app_version.id
	WHERE app.id = :app_id AND app_version.id = :id
		AND app.deployed_version_id IS DISTINCT FROM app_version.id
	LIMIT :row_limit
	FOR UPDATE OF render SKIP LOCKED
), removed AS (
	DELETE FROM render
	USING portion
	WHERE render.place = portion.place AND render.version_id = portion.version_id
)
SELECT count(*) AS removed
FROM portion
