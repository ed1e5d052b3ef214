-- Removes some versions of an account's removed apps with all that belongs to them. account_id
-- all zero: apps without an owner. Rows that are locked are left for the next portion.
-- params: account_id uuid, row_limit int8
-- row: removed_portion
-- work: grows with the account's apps
WITH portion AS (
	SELECT app_version.id
	FROM app
	JOIN app_version ON app_version.app_id = app.id
	WHERE app.is_removed AND app.account_id
		IS NOT DISTINCT FROM nullif(:account_id::uuid, '00000000-0000-0000-0000-000000000000')
	LIMIT :row_limit
	FOR UPDATE OF app_version SKIP LOCKED
), removed AS (
	DELETE FROM app_version
	USING portion
	WHERE app_version.id = portion.id
)
SELECT (SELECT count(*) FROM portion) AS removed, EXISTS (
	SELECT
	FROM app
	JOIN app_version ON app_version.app_id = app.id
	WHERE app.is_removed AND app.account_id
		IS NOT DISTINCT FROM nullif(:account_id::uuid, '00000000-0000-0000-0000-000000000000')
		AND app_version.id NOT IN (SELECT id FROM portion)) AS is_left
