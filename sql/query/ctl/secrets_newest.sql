-- Some secret settings that are stored, the newest first.
-- row: device_id uuid, id text, secret_settings bytea
-- effect: read
-- work: grows with installations
SELECT device_id, id, secret_settings
FROM installation
WHERE secret_settings IS NOT NULL
ORDER BY created_at DESC
LIMIT 100
