-- The picture of an installation of a device. No row: the device has none with this ID. No picture: there is none yet.
-- params: device_id uuid, id text
-- row: picture bytea?
SELECT CASE WHEN installation.app_id IS NULL THEN installation.picture ELSE app_entry.picture END AS picture
FROM installation
LEFT JOIN app_entry ON app_entry.device_id = installation.device_id AND app_entry.id = installation.id
WHERE installation.device_id = :device_id AND installation.id = :id AND is_present(installation.expires_at)
