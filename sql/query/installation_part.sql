-- A part of the installations of a device, in the order of its rotation: at most so many that come
-- after a place.
-- params: device_id uuid, after_position int8, row_limit int8
-- row: installation, position int8
-- effect: read
SELECT installation.id, installation.app_id IS NULL AS is_pushed, installation.app_id,
	app.name AS app_name, installation.created_at, installation.position
FROM installation
LEFT JOIN app ON app.id = installation.app_id
WHERE installation.device_id = :device_id AND installation.position > :after_position
ORDER BY installation.position
LIMIT :row_limit
