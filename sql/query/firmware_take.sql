-- Takes the settings that wait for a device's panel, which only the caller sends then. No row: another worker has taken
-- them, or they have lapsed.
-- params: id uuid, firmware_generation int8
-- row: settings text
WITH taken AS (
	UPDATE device
	SET firmware_generation = NULL
	WHERE id = :id AND firmware_generation = :firmware_generation
	RETURNING id
)
UPDATE firmware_change AS change
SET sent_at = present_time()
FROM taken
WHERE change.device_id = taken.id AND change.sent_at IS NULL
	AND firmware_change_state(change.asked_at) = 'waiting'
RETURNING change.settings::text AS settings
