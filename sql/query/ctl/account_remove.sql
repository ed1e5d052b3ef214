-- Removes an account with everything that it owns. Tells all workers to forget its keys and
-- devices, and to load the devices of others that had its apps.
-- params: email text
-- row: account_removed
-- effect: write
WITH removed AS (
	DELETE FROM account
	WHERE lower(email) = lower(:email)
	RETURNING id, email
), keys AS (
	SELECT count(pg_notify('displayd_hint', 'key:' || encode(api_key.secret_hash, 'hex'))) AS told
	FROM api_key
	JOIN removed ON removed.id = api_key.account_id
), devices AS (
	SELECT count(pg_notify('displayd_hint', 'device:' || device.id || ':' || device.generation + 1))
		AS told
	FROM device, removed
	WHERE device.account_id = removed.id OR EXISTS (
		SELECT
		FROM installation
		JOIN app ON app.id = installation.app_id
		WHERE installation.device_id = device.id AND app.account_id = removed.id)
)
SELECT removed.id, removed.email
FROM removed, keys, devices
