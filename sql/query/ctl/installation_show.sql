-- Reads an installation's settings, except the secret ones, and the size of its picture.
-- params: device_id uuid, id text
-- row: settings text?, has_secrets bool, picture_bytes int8
-- effect: read
-- work: bounded
SELECT settings, secret_settings IS NOT NULL AS has_secrets,
	coalesce(length(picture), 0)::int8 AS picture_bytes
FROM installation
WHERE device_id = :device_id AND id = :id AND is_present(expires_at)
