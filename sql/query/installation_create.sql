-- Installs an app on a device, at the end of its rotation. The app: by its ID, or if that is all
-- zero, by its slug. version_id: that whose form declares which settings are secret; all zero: no
-- settings. The lock keeps it the deployed version until the settings are stored. No row: there is
-- no such app that the device's account may install, or another version is deployed.
-- params: device_id uuid, app_id uuid, slug text, id text, settings text, secret_settings bytea?,
--   settings_hash bytea, version_id uuid
-- row: installation, generation int8
-- changes: device_id
-- refuse: device_entry_limit -> too_many_installations
WITH chosen AS (
	SELECT app.id, app.name
	FROM app
	JOIN device ON device.id = :device_id
	WHERE app.id = app_meant(device.account_id, :app_id, :slug)
		AND app.status = 'active'
		AND app.deployed_version_id IS NOT NULL
		AND :version_id IN (app.deployed_version_id, '00000000-0000-0000-0000-000000000000')
		AND (app.visibility <> 'private' OR app.account_id = device.account_id)
	FOR SHARE OF app
), touched AS (
	UPDATE device
	SET generation = generation + 1
	FROM chosen
	WHERE device.id = :device_id
	RETURNING device.id, device.generation, device.entry_count
), fresh AS (
	INSERT INTO installation (device_id, id, app_id, position, settings, secret_settings,
		settings_hash)
	SELECT touched.id, :id, chosen.id, touched.generation, :settings, :secret_settings,
		:settings_hash
	FROM touched, chosen
	-- The cast refuses an entry of a full device before its settings are written.
	WHERE (touched.entry_count + 1)::device_entry_count IS NOT NULL
	RETURNING id, app_id, created_at
)
SELECT fresh.id, false AS is_pushed, fresh.app_id, chosen.name AS app_name, fresh.created_at,
	touched.generation
FROM fresh, chosen, touched
