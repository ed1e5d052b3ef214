-- Removes a removed app of an account that has neither installations nor versions any more.
-- is_left: there are others, which were marked meanwhile, or are locked. account_id all zero: apps
-- without an owner.
-- params: account_id uuid
-- row: removed_portion
-- work: grows with the account's apps
-- changes: told
-- rare: an account is removed, and this pauses between its portions
WITH portion AS (
	SELECT id
	FROM app
	WHERE is_removed AND account_id
		IS NOT DISTINCT FROM nullif(:account_id::uuid, '00000000-0000-0000-0000-000000000000')
		AND NOT EXISTS (SELECT FROM installation WHERE app_id = app.id)
		AND NOT EXISTS (SELECT FROM app_version WHERE app_id = app.id)
	LIMIT 1
	FOR UPDATE SKIP LOCKED
), removed AS (
	DELETE FROM app
	USING portion
	WHERE app.id = portion.id
), told AS (
	SELECT pg_notify('displayd_hint', 'read:' || id)
	FROM portion
)
SELECT (SELECT count(*) FROM portion, told) AS removed, EXISTS (
	SELECT
	FROM app
	WHERE is_removed AND account_id
		IS NOT DISTINCT FROM nullif(:account_id::uuid, '00000000-0000-0000-0000-000000000000')
		AND id NOT IN (SELECT id FROM portion)) AS is_left
