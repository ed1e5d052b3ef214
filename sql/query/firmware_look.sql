-- Size, hash and owner of an image of firmware that a device's panel fetches. No row: the image or the device is gone,
-- disabled, or of another board.
-- params: device_id uuid, image_id uuid
-- row: size_bytes int4, sha256 text, account_id uuid
SELECT firmware_image.size_bytes, firmware_image.sha256, device.account_id
FROM firmware_image
JOIN device ON device.board = firmware_image.board
WHERE firmware_image.id = :image_id AND device.id = :device_id AND device.disabled_at IS NULL
