-- Ends the push that a device shows or is to show. removed is false: there is none. No row: the device is gone.
-- params: device_id uuid
-- row: generation int8, is_removed bool
WITH locked AS (
	SELECT id, generation
	FROM device
	WHERE id = :device_id
	FOR NO KEY UPDATE
), removed AS (
	DELETE FROM showing
	USING locked
	WHERE showing.device_id = locked.id
	RETURNING showing.device_id, coalesce(length(showing.picture), 0) AS bytes
), touched AS (
	UPDATE device
	SET generation = device.generation + 1,
		picture_bytes = greatest(0, device.picture_bytes - removed.bytes)
	FROM removed
	WHERE device.id = removed.device_id
	RETURNING device.generation
)
SELECT coalesce((SELECT generation FROM touched), locked.generation) AS generation,
	EXISTS (SELECT FROM touched) AS is_removed
FROM locked
