-- Changes the entry that a device shows alone in its sleep window, and its brightness then. id NULL: the
-- panel is dark then. brightness 0 stays as it is. No row: the device is
-- gone, or has no such entry.
-- params: device_id uuid, sets_entry bool, id text?, brightness int2
-- row: generation int8
-- refuse: device_night_fkey -> entry_gone
UPDATE device
SET night_installation_id = CASE WHEN :sets_entry THEN :id ELSE night_installation_id END,
	night_brightness = coalesce(nullif(:brightness, 0), night_brightness),
	generation = generation + 1
WHERE id = :device_id AND (NOT :sets_entry OR :id::text IS NULL OR EXISTS (
		SELECT
		FROM installation
		WHERE device_id = :device_id AND installation.id = :id AND is_present(expires_at)))
RETURNING generation
