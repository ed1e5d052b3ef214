-- The picture of one installation, for a worker that does not have it in its cache.
-- params: device_id uuid, id text
-- row: picture_generation int8, picture bytea
SELECT picture_generation, picture
FROM installation
WHERE device_id = :device_id AND id = :id AND picture IS NOT NULL AND is_present(expires_at)
UNION ALL
SELECT picture_generation, picture
FROM app_entry
WHERE device_id = :device_id AND id = :id AND picture IS NOT NULL
