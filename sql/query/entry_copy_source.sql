-- An entry of a rotation that is to be copied. bytes: of a pushed image. is_installable: the account can install its
-- app. No row: the device has no such entry.
-- params: device_id uuid, id text
-- row: is_pushed bool, is_installable bool, settings text, secret_settings bytea?, settings_hash bytea, bytes int4
SELECT installation.app_id IS NULL AS is_pushed,
	coalesce(app.status = 'active' AND app.deployed_version_id IS NOT NULL
		AND (app.visibility <> 'private' OR app.account_id = device.account_id), false) AS is_installable,
	installation.settings, installation.secret_settings, installation.settings_hash,
	coalesce(length(installation.picture), 0) AS bytes
FROM installation
JOIN device ON device.id = installation.device_id
LEFT JOIN app ON app.id = installation.app_id
WHERE installation.device_id = :device_id AND installation.id = :id AND is_present(installation.expires_at)
