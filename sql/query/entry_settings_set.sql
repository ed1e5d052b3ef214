-- Changes the settings of an app's installation. No row: it is gone, or its settings or the
-- deployed version are no longer those that were seen: a lock keeps it the deployed one until the settings
-- are stored.
-- params: device_id uuid, id text, settings text, secret_settings bytea?, settings_hash bytea,
--   seen_hash bytea, version_id uuid
-- row: generation int8
-- effect: write
-- work: bounded
WITH deployed AS (
	SELECT app.id
	FROM installation
	JOIN app ON app.id = installation.app_id
	WHERE installation.device_id = :device_id AND installation.id = :id
		AND app.deployed_version_id = :version_id
	FOR SHARE OF app
), touched AS (
	UPDATE device
	SET generation = generation + 1
	FROM deployed
	WHERE device.id = :device_id
	RETURNING device.id, generation
), changed AS (
	UPDATE installation
	SET settings = :settings, secret_settings = :secret_settings, settings_hash = :settings_hash
	FROM touched
	WHERE installation.device_id = touched.id AND installation.id = :id
		AND installation.settings_hash = :seen_hash
	RETURNING installation.id
)
SELECT touched.generation
FROM touched, changed
