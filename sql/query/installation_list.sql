-- What is installed on a device, in the order of its rotation.
-- params: device_id uuid
-- row: id text, is_pushed bool, app_id uuid, app_name text, created_at timestamptz
-- effect: read
SELECT installation.id, installation.app_id IS NULL AS is_pushed, installation.app_id,
	app.name AS app_name, installation.created_at
FROM installation
LEFT JOIN app ON app.id = installation.app_id
WHERE installation.device_id = $1
ORDER BY installation.position
