-- Removes expired entries, of at most 100 devices, those first that expired first. Devices that are
-- locked come the next time.
-- row: id uuid, generation int8
-- effect: write
-- work: bounded
WITH expired AS (
	SELECT device_id
	FROM installation
	WHERE expires_at <= (SELECT present_time())
	ORDER BY expires_at
	LIMIT 100
), locked AS (
	SELECT id
	FROM device
	WHERE id IN (SELECT device_id FROM expired)
	ORDER BY id
	FOR NO KEY UPDATE SKIP LOCKED
), touched AS (
	UPDATE device
	SET generation = device.generation + 1
	FROM locked
	WHERE device.id = locked.id
	RETURNING device.id, device.generation
), removed AS (
	DELETE FROM installation
	USING touched
	WHERE installation.device_id = touched.id AND expires_at <= present_time()
)
SELECT id, generation
FROM touched
