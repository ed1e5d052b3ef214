-- Stores settings for the firmware of a device's panel, which a worker sends to it. A change that the panel may still
-- confirm is extended. The settings are a JSON object. No row: the device is gone.
-- params: id uuid, settings text
-- row: generation int8
-- changes: id
WITH changed AS (
	UPDATE device
	SET firmware_generation = generation + 1,
		generation = generation + 1
	WHERE id = :id
	RETURNING id, generation
), stored AS (
	INSERT INTO firmware_change AS change (device_id, settings)
	SELECT id, :settings::jsonb
	FROM changed
	ON CONFLICT (device_id) DO UPDATE
	SET settings = CASE WHEN firmware_change_state(change.asked_at) = 'waiting' THEN change.settings ELSE '{}' END
			|| excluded.settings,
		asked_at = excluded.asked_at,
		sent_at = NULL
)
SELECT generation
FROM changed
