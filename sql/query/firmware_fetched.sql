-- Notes that a device's panel has begun to fetch its image. No row: it has done so before, or nobody
-- has told it to.
-- params: device_id uuid, image_id uuid
-- row: generation int8
WITH fetched AS (
	UPDATE firmware_update
	SET fetched_at = present_time()
	WHERE device_id = :device_id AND image_id = :image_id AND sent_at IS NOT NULL AND fetched_at IS NULL
	RETURNING device_id
)
SELECT device.generation
FROM device
JOIN fetched ON fetched.device_id = device.id
