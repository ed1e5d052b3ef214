-- Size, hash and owner of an image of firmware that a device's panel fetches. is_awaited: it has not
-- begun so far. No row: the image or the device is gone, disabled, or of another board.
-- params: device_id uuid, image_id uuid
-- row: size_bytes int4, sha256 text, account_id uuid, is_awaited bool
SELECT firmware_image.size_bytes, firmware_image.sha256, device.account_id,
	started.device_id IS NOT NULL AS is_awaited
FROM firmware_image
JOIN device ON device.board = firmware_image.board
LEFT JOIN firmware_update AS started ON started.device_id = device.id AND started.image_id = firmware_image.id
	AND started.sent_at IS NOT NULL AND started.fetched_at IS NULL
WHERE firmware_image.id = :image_id AND device.id = :device_id AND device.disabled_at IS NULL
