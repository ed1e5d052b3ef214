-- Removes a device with its rotation, and tells all workers.
-- params: id uuid
-- row: removed_device
-- effect: write
WITH removed AS (
	DELETE FROM device
	WHERE id = :id
	RETURNING id, name, generation
), told AS (
	SELECT pg_notify('displayd_hint', 'device:' || id || ':' || generation + 1)
	FROM removed
)
SELECT removed.id, removed.name
FROM removed, told
