-- A device as its panel needs it: settings, and what is to be shown now. The temporary picture comes
-- only where it is newer than the push that the caller knows.
-- params: id uuid, known_push_generation int8
-- row: id uuid, link_key_hash bytea, is_disabled bool, generation int8, brightness int2,
--   auto_dim bool, timezone text, schedule_interval_s int4, sleep_enabled bool,
--   sleep_start_minute int2, sleep_end_minute int2, push_generation int8, push_entry_id text,
--   push_picture bytea, push_duration_s int4, push_created_at timestamptz,
--   push_displayed_at timestamptz
-- effect: read
SELECT device.id, device.link_key_hash, device.disabled_at IS NOT NULL AS is_disabled,
	device.generation, device.brightness, device.auto_dim, device.timezone,
	device.schedule_interval_s, device.sleep_enabled, device.sleep_start_minute,
	device.sleep_end_minute, showing.push_generation, showing.installation_id AS push_entry_id,
	CASE WHEN showing.push_generation > $2 THEN showing.picture END AS push_picture,
	showing.duration_s AS push_duration_s, showing.created_at AS push_created_at,
	showing.displayed_at AS push_displayed_at
FROM device
LEFT JOIN showing ON showing.device_id = device.id
WHERE device.id = $1
