-- Dims a device, or ends its dimming, until the next change of its plan of dimming; without a plan, until it is set
-- again. No row: the device is gone.
-- params: id uuid, is_dimmed bool
-- row: generation int8
WITH locked AS (
	SELECT id, dim_enabled, dim_start_minute, sleep_end_minute, timezone
	FROM device
	WHERE id = :id
	FOR NO KEY UPDATE
)
UPDATE device
SET is_dim_set = :is_dimmed OR locked.dim_enabled,
	is_set_dimmed = :is_dimmed,
	dim_set_until = CASE WHEN locked.dim_enabled THEN plan.changes_at END,
	generation = device.generation + 1
FROM locked
CROSS JOIN LATERAL sleep_plan(locked.dim_start_minute, locked.sleep_end_minute, locked.timezone,
	present_time()) AS plan
WHERE device.id = locked.id
RETURNING device.generation
