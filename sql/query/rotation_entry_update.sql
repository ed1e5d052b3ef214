-- Changes when and for how long an entry of a rotation is shown, its name, and the settings of an
-- app's installation; what is not set stays as it is. name "": none. display_s 0: as long as the
-- schedule interval says; start_minute -1: the whole day; night_brightness 0: it is not set.
-- version_id: the deployed version whose form says which settings are secret, and a lock keeps it
-- the deployed one until they are stored; all zero: settings are not set. seen_hash: hash of the
-- settings that are replaced. expected_generation: that of the device; 0: any. Pinning an entry
-- unpins another one, and only one entry is shown at night. The device's row is locked first, as by
-- every change of its entries. No row: the device has no such entry, or it or the version or the
-- device is not what was seen; then nothing is changed.
-- params: device_id uuid, id text, change installation_change, sets_display bool,
--   display_s int4, sets_hours bool, start_minute int2, end_minute int2, sets_weekdays bool,
--   weekdays int2, sets_pinned bool, is_pinned bool, sets_night bool, is_night bool,
--   night_brightness int2, sets_name bool, name text, settings text, secret_settings bytea?,
--   settings_hash bytea, seen_hash bytea, version_id uuid, expected_generation int8
-- row: generation int8
-- refuse: device_pinned_fkey -> entry_gone, device_night_fkey -> entry_gone
WITH deployed AS (
	SELECT app.id
	FROM installation
	JOIN app ON app.id = installation.app_id
	WHERE installation.device_id = :device_id AND installation.id = :id
		AND app.deployed_version_id = :version_id
	FOR SHARE OF app
), locked AS (
	SELECT id
	FROM device
	WHERE id = :device_id
		AND EXISTS (
			SELECT
			FROM installation
			WHERE device_id = :device_id AND id = :id AND is_present(expires_at))
		AND (:version_id = '00000000-0000-0000-0000-000000000000'
			OR EXISTS (SELECT FROM deployed))
		AND (:expected_generation = 0 OR generation = :expected_generation)
	FOR NO KEY UPDATE
), changed AS (
	UPDATE installation
	SET {change},
		display_s = CASE WHEN :sets_display THEN nullif(:display_s, 0) ELSE display_s END,
		start_minute = CASE WHEN :sets_hours THEN nullif(:start_minute, -1)
			ELSE start_minute END,
		end_minute = CASE WHEN :sets_hours THEN nullif(:end_minute, -1) ELSE end_minute END,
		weekdays = CASE WHEN :sets_weekdays THEN :weekdays ELSE weekdays END,
		name = CASE WHEN :sets_name THEN nullif(:name, '') ELSE name END,
		settings = CASE WHEN EXISTS (SELECT FROM deployed) THEN :settings ELSE settings END,
		secret_settings = CASE WHEN EXISTS (SELECT FROM deployed) THEN :secret_settings
			ELSE secret_settings END,
		settings_hash = CASE WHEN EXISTS (SELECT FROM deployed) THEN :settings_hash
			ELSE settings_hash END
	FROM locked
	WHERE installation.device_id = locked.id AND installation.id = :id
		AND (NOT EXISTS (SELECT FROM deployed) OR installation.settings_hash = :seen_hash)
	RETURNING installation.device_id
)
UPDATE device
SET generation = generation + 1,
	pinned_installation_id = CASE
		WHEN NOT :sets_pinned THEN pinned_installation_id
		WHEN :is_pinned THEN :id
		ELSE nullif(pinned_installation_id, :id) END,
	night_installation_id = CASE
		WHEN NOT :sets_night THEN night_installation_id
		WHEN :is_night THEN :id
		ELSE nullif(night_installation_id, :id) END,
	night_brightness = coalesce(nullif(:night_brightness, 0), night_brightness)
FROM changed
WHERE device.id = changed.device_id
RETURNING device.generation
