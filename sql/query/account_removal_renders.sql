-- Removes some renders of an account's removed apps. account_id all zero: apps without an owner.
-- Rows that are locked are left for the next portion.
-- params: account_id uuid, row_limit int8
-- row: removed_portion
-- work: grows with the account's versions
WITH portion AS (
	SELECT render.place, render.version_id
	FROM app
	JOIN app_version ON app_version.app_id = app.id
	JOIN render ON render.version_id = app_version.id
	WHERE app.is_removed AND app.account_id
		IS NOT DISTINCT FROM nullif(:account_id::uuid, '00000000-0000-0000-0000-000000000000')
	LIMIT :row_limit
	FOR UPDATE OF render SKIP LOCKED
), removed AS (
	DELETE FROM render
	USING portion
	WHERE render.place = portion.place AND render.version_id = portion.version_id
)
SELECT (SELECT count(*) FROM portion) AS removed, EXISTS (
	SELECT
	FROM app
	JOIN app_version ON app_version.app_id = app.id
	JOIN render ON render.version_id = app_version.id
	WHERE app.is_removed AND app.account_id
		IS NOT DISTINCT FROM nullif(:account_id::uuid, '00000000-0000-0000-0000-000000000000')
		AND (render.place, render.version_id) NOT IN (SELECT place, version_id FROM portion))
	AS is_left
