-- Sets a device asleep or awake until the next change of its sleep schedule; without a schedule,
-- asleep until it is woken. No row: the device is gone.
-- params: id uuid, is_asleep bool
-- row: generation int8
WITH locked AS (
	SELECT id, sleep_enabled, sleep_start_minute, sleep_end_minute, timezone
	FROM device
	WHERE id = :id
	FOR NO KEY UPDATE
)
UPDATE device
SET is_sleep_set = :is_asleep OR locked.sleep_enabled,
	is_set_asleep = :is_asleep,
	sleep_set_until = CASE WHEN locked.sleep_enabled THEN plan.changes_at END,
	generation = device.generation + 1
FROM locked
CROSS JOIN LATERAL sleep_plan(locked.sleep_start_minute, locked.sleep_end_minute, locked.timezone,
	present_time()) AS plan
WHERE device.id = locked.id
RETURNING device.generation
