-- What is installed on a device, in the order of its rotation.
-- params: device_id uuid
-- row: id text, is_pushed bool, app_id uuid, app_name text, created_at timestamptz
-- effect: read
SELECT id, app_id IS NULL AS is_pushed, app_id, NULL::text AS app_name, created_at
FROM installation
WHERE device_id = $1
ORDER BY position
