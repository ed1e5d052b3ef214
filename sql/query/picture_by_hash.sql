-- The picture of a device with this hash: an entry's, what an app's entry showed before, or that of a
-- temporary image.
-- params: device_id uuid, hash text
-- row: picture bytea
(
	SELECT picture
	FROM installation
	WHERE device_id = :device_id AND picture_hash = :hash AND is_present(expires_at)
	LIMIT 1
)
UNION ALL
(
	SELECT CASE WHEN picture_hash = :hash THEN picture ELSE previous_picture END
	FROM app_entry
	WHERE device_id = :device_id AND :hash IN (picture_hash, previous_hash)
	LIMIT 1
)
UNION ALL
(
	SELECT picture
	FROM showing
	WHERE device_id = :device_id AND picture_hash = :hash
)
LIMIT 1
