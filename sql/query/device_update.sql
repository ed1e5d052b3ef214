-- Changes settings of a device; NULL leaves one as it is. One statement, so that parallel changes of
-- different settings lose nothing. No row: the device is gone.
-- params: id uuid, account_id uuid, name text, brightness int2, volume int2, auto_dim bool,
--   timezone text, schedule_interval_s int4, sleep_enabled bool, sleep_start_minute int2,
--   sleep_end_minute int2
-- row: id uuid, account_id uuid, name text, brightness int2, volume int2, last_online_at timestamptz,
--   auto_dim bool, timezone text, schedule_interval_s int4, sleep_enabled bool,
--   sleep_start_minute int2, sleep_end_minute int2, generation int8
-- effect: write
-- commit: shared
-- refuse: 22023 -> unknown_timezone
UPDATE device
SET name = coalesce($3, name),
	brightness = coalesce($4, brightness),
	volume = coalesce($5, volume),
	auto_dim = coalesce($6, auto_dim),
	timezone = coalesce($7, timezone),
	schedule_interval_s = coalesce($8, schedule_interval_s),
	sleep_enabled = coalesce($9, sleep_enabled),
	sleep_start_minute = coalesce($10, sleep_start_minute),
	sleep_end_minute = coalesce($11, sleep_end_minute),
	generation = generation + 1
WHERE id = $1 AND account_id = $2
RETURNING id, account_id, name, brightness, volume, last_online_at, auto_dim, timezone,
	schedule_interval_s, sleep_enabled, sleep_start_minute, sleep_end_minute, generation
