-- Devices by their IDs, whoever owns them.
-- params: ids uuid[]
-- row: id uuid, account_id uuid, name text, brightness int2, volume int2, last_online_at timestamptz,
--   auto_dim bool, timezone text, schedule_interval_s int4, sleep_enabled bool,
--   sleep_start_minute int2, sleep_end_minute int2, generation int8, place int8
-- effect: read
-- gathers: device_by_id
SELECT device.id, account_id, name, brightness, volume, last_online_at, auto_dim, timezone,
	schedule_interval_s, sleep_enabled, sleep_start_minute, sleep_end_minute, generation,
	wanted.place
FROM unnest($1) WITH ORDINALITY AS wanted (id, place)
JOIN device ON device.id = wanted.id
