-- Removes expired entries: all of at most 100 devices, those first whose entries expired first.
-- Takes no further device after 1,000 entries, so that pushes to these devices do not wait for
-- long. Locked devices are left for the next time. is_full: more devices have expired entries.
-- No row: nothing was removed.
-- row: id uuid, generation int8, is_full bool
-- changes: id
WITH oldest AS (
	SELECT device_id, expires_at
	FROM installation
	WHERE expires_at <= (SELECT present_time())
	ORDER BY expires_at
	LIMIT 1000
), candidate AS (
	SELECT device_id, min(expires_at) AS first_at
	FROM oldest
	GROUP BY device_id
	ORDER BY first_at
	LIMIT 100
), expired AS (
	SELECT device_id
	FROM (
		SELECT candidate.device_id, counted.entries,
			sum(counted.entries) OVER (ORDER BY candidate.first_at, candidate.device_id) AS sum
		FROM candidate
		CROSS JOIN LATERAL (
			SELECT count(*) AS entries
			FROM installation
			WHERE installation.device_id = candidate.device_id
				AND installation.expires_at <= (SELECT present_time())
		) AS counted
	) AS summed
	WHERE sum - entries < 1000
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
SELECT id, generation,
	(SELECT count(*) FROM oldest) = 1000
		OR (SELECT count(DISTINCT device_id) FROM oldest) > (SELECT count(*) FROM expired) AS is_full
FROM touched
