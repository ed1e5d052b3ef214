-- Removes some of the schemas of an account's removed apps, each of which may have 1 MiB.
-- account_id all zero: apps without an owner. Rows that are locked are left for the next portion.
-- params: account_id uuid, row_limit int8
-- row: removed_portion
-- work: grows with the account's versions
WITH portion AS (
	SELECT app_schema.version_id, app_schema.locale
	FROM app
	JOIN app_version ON app_version.app_id = app.id
	JOIN app_schema ON app_schema.version_id = app_version.id
	WHERE app.is_removed AND app.account_id
		IS NOT DISTINCT FROM nullif(:account_id::uuid, '00000000-0000-0000-0000-000000000000')
	LIMIT :row_limit
	FOR UPDATE OF app_schema SKIP LOCKED
), removed AS (
	DELETE FROM app_schema
	USING portion
	WHERE app_schema.version_id = portion.version_id AND app_schema.locale = portion.locale
)
SELECT (SELECT count(*) FROM portion) AS removed, EXISTS (
	SELECT
	FROM app
	JOIN app_version ON app_version.app_id = app.id
	JOIN app_schema ON app_schema.version_id = app_version.id
	WHERE app.is_removed AND app.account_id
		IS NOT DISTINCT FROM nullif(:account_id::uuid, '00000000-0000-0000-0000-000000000000')
		AND (app_schema.version_id, app_schema.locale)
			NOT IN (SELECT version_id, locale FROM portion)) AS is_left
