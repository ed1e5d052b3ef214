-- The installations of a device, in the order of its rotation.
-- params: device_id uuid
-- row: installation
-- effect: read
-- work: bounded
SELECT installation.id, installation.app_id IS NULL AS is_pushed, installation.app_id,
	app.name AS app_name, installation.created_at
FROM installation
LEFT JOIN app ON app.id = installation.app_id
WHERE installation.device_id = :device_id AND is_present(installation.expires_at)
ORDER BY installation.rank
