-- Removes some installations of an account's removed apps from all devices, and notifies all
-- workers. account_id all zero: apps without an owner. Devices that are locked are left for the
-- next portion, so that it never waits with others locked.
-- params: account_id uuid, row_limit int8
-- row: removed_portion
-- work: grows with the account's apps
-- changes: told
-- rare: an account is removed, and this pauses between its portions
WITH portion AS (
	SELECT installation.device_id, installation.id, device.generation
	FROM app
	JOIN installation ON installation.app_id = app.id
	JOIN device ON device.id = installation.device_id
	WHERE app.is_removed AND app.account_id
		IS NOT DISTINCT FROM nullif(:account_id::uuid, '00000000-0000-0000-0000-000000000000')
	LIMIT :row_limit
	FOR NO KEY UPDATE OF device SKIP LOCKED
), removed AS (
	DELETE FROM installation
	USING portion
	WHERE installation.device_id = portion.device_id AND installation.id = portion.id
), changed AS (
	SELECT DISTINCT device_id, generation + 1 AS generation
	FROM portion
), told AS (
	SELECT pg_notify('displayd_hint',
		string_agg('device:' || device_id || ':' || generation, ' ')),
		pg_notify('displayd_hint', string_agg('read:' || device_id, ' '))
	FROM changed
	HAVING count(*) > 0
)
SELECT (SELECT count(*) FROM portion, told) AS removed, EXISTS (
	SELECT
	FROM app
	JOIN installation ON installation.app_id = app.id
	WHERE app.is_removed AND app.account_id
		IS NOT DISTINCT FROM nullif(:account_id::uuid, '00000000-0000-0000-0000-000000000000')
		AND (installation.device_id, installation.id)
			NOT IN (SELECT device_id, id FROM portion)) AS is_left
