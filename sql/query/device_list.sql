-- The devices of an account, oldest first.
-- params: account_id uuid
-- row: id uuid, account_id uuid, name text, brightness int2, volume int2, last_online_at timestamptz,
--   auto_dim bool, timezone text, schedule_interval_s int4, sleep_enabled bool,
--   sleep_start_minute int2, sleep_end_minute int2, generation int8
-- effect: read
SELECT id, account_id, name, brightness, volume, last_online_at, auto_dim, timezone,
	schedule_interval_s, sleep_enabled, sleep_start_minute, sleep_end_minute, generation
FROM device
WHERE account_id = $1
ORDER BY created_at, id
