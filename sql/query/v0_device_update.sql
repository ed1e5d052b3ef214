-- Changes settings of a device, and which of its entries is pinned and is shown at night; what is absent stays as it
-- is. An entry "": none. night_brightness -1: as it is. expected_revision: of the settings; 0: any. No row: the device
-- is gone, or its settings have another revision.
-- params: id uuid, account_id uuid, expected_revision int8, change device, pinned_id text?, night_id text?,
--   night_brightness int2
-- row: generation int8
-- changes: id
-- refuse: device_pinned_fkey -> entry_gone, device_night_fkey -> entry_gone, 22023 -> unknown_timezone
UPDATE device
SET {change},
	pinned_installation_id = CASE WHEN :pinned_id::text IS NULL THEN pinned_installation_id
		ELSE nullif(:pinned_id, '') END,
	night_installation_id = CASE WHEN :night_id::text IS NULL THEN night_installation_id
		ELSE nullif(:night_id, '') END,
	night_brightness = CASE WHEN :night_brightness < 0 THEN night_brightness ELSE :night_brightness END,
	generation = generation + 1,
	settings_revision = settings_revision + 1
WHERE id = :id AND account_id = :account_id
	AND (:expected_revision = 0 OR settings_revision = :expected_revision)
RETURNING generation
