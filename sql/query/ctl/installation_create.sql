-- Installs an app (by ID or slug) on a device, at the end of its rotation. No row: there is no such
-- app that the device's account may install.
-- params: device_id uuid, app text, id text
-- row: installation
-- effect: write
-- refuse: device_entry_limit -> too_many_installations
WITH chosen AS (
	SELECT app.id, app.name
	FROM app
	JOIN device ON device.id = :device_id
	WHERE (app.id::text = lower(:app) OR app.slug = :app)
		AND app.status = 'active'
		AND app.deployed_version_id IS NOT NULL
		AND (app.visibility <> 'private' OR app.account_id = device.account_id)
), touched AS (
	UPDATE device
	SET generation = generation + 1
	FROM chosen
	WHERE device.id = :device_id
	RETURNING device.id, device.generation
), fresh AS (
	INSERT INTO installation (device_id, id, app_id, position)
	SELECT touched.id, :id, chosen.id, touched.generation
	FROM touched, chosen
	RETURNING id, app_id, created_at
), told AS (
	SELECT pg_notify('displayd_hint', 'device:' || id || ':' || generation)
	FROM touched
)
SELECT fresh.id, false AS is_pushed, fresh.app_id, chosen.name AS app_name, fresh.created_at
FROM fresh, chosen, told
