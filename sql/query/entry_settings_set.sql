-- Changes the settings of an app's installation. No row: it is gone, or its settings or the
-- deployed version are no longer those that were seen.
-- params: device_id uuid, id text, settings text, secret_settings bytea?, settings_hash bytea,
--   seen_hash bytea, version_id uuid
-- row: generation int8
-- effect: write
-- work: bounded
WITH touched AS (
	UPDATE device
	SET generation = generation + 1
	WHERE id = :device_id AND EXISTS (
		SELECT FROM installation
		WHERE device_id = :device_id AND id = :id AND app_id IS NOT NULL)
	RETURNING id, generation
), changed AS (
	UPDATE installation
	SET settings = :settings, secret_settings = :secret_settings, settings_hash = :settings_hash
	FROM touched
	WHERE installation.device_id = touched.id AND installation.id = :id
		AND installation.settings_hash = :seen_hash
		AND EXISTS (SELECT FROM app WHERE app.id = installation.app_id
			AND app.deployed_version_id = :version_id)
	RETURNING installation.id
)
SELECT touched.generation
FROM touched, changed
