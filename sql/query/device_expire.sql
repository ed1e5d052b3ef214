-- Removes the expired entries of a device. No row: it has none.
-- params: device_id uuid
-- row: generation int8
-- changes: device_id
WITH touched AS (
	UPDATE device
	SET generation = generation + 1
	WHERE id = :device_id AND EXISTS (
		SELECT
		FROM installation
		WHERE installation.device_id = :device_id AND expires_at <= present_time())
	RETURNING id, generation
), removed AS (
	DELETE FROM installation
	USING touched
	WHERE installation.device_id = touched.id AND expires_at <= present_time()
)
SELECT generation
FROM touched
