-- Removes a device with its rotation, and tells all workers and the open pages of its account.
-- params: id uuid
-- row: removed_device
-- effect: write
-- work: bounded
WITH removed AS (
	DELETE FROM device
	WHERE id = :id
	RETURNING id, account_id, name, generation
), told AS (
	SELECT pg_notify('displayd_hint', 'device:' || id || ':' || generation + 1
		|| ' changed:' || account_id || ':devices changed:' || account_id || ':account')
	FROM removed
)
SELECT removed.id, removed.name
FROM removed, told
