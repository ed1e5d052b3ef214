-- A device of an export, with an empty rotation.
-- params: account_id uuid, line text
-- row: id uuid
-- effect: write
-- work: bounded
-- changes: told
-- refuse: device_pkey -> device_taken, device_serial_unique -> serial_taken,
--   device_mac_unique -> mac_taken, 22023 -> unknown_timezone
-- refuse: 22 -> not_storable, 23 -> not_storable
WITH fresh AS (
	INSERT INTO device (id, account_id, name, serial, mac, link_key_hash, created_at, disabled_at,
		last_online_at, brightness, volume, auto_dim, timezone, schedule_interval_s, sleep_enabled,
		sleep_start_minute, sleep_end_minute, night_brightness, picture_limit_bytes, locale,
		dim_enabled, dim_start_minute, dim_brightness)
	SELECT id, :account_id, name, serial, mac, decode("linkKeyHash", 'hex'),
		least("createdAt", present_time()), CASE WHEN "isDisabled" THEN present_time() END,
		least("createdAt", present_time()), brightness, volume, "autoDim", timezone,
		"scheduleInterval", "isSleepOn", extract(epoch FROM "sleepStart") / 60,
		extract(epoch FROM "sleepEnd") / 60, "nightBrightness", "pictureLimit", locale,
		"dimStart" IS NOT NULL, coalesce(extract(epoch FROM "dimStart") / 60, 1200),
		coalesce("dimBrightness", 20)
	FROM jsonb_to_record(:line::jsonb)
		AS line (id uuid, name text, serial text, mac macaddr, "linkKeyHash" text,
			"createdAt" timestamptz, "isDisabled" boolean, brightness int2, volume int2,
			"autoDim" boolean, timezone text, "scheduleInterval" int4, "isSleepOn" boolean,
			"sleepStart" time, "sleepEnd" time, "nightBrightness" int2, "pictureLimit" int4,
			locale text, "dimStart" time, "dimBrightness" int2)
	RETURNING id
), told AS (
	SELECT pg_notify('displayd_hint', 'read:' || :account_id)
	FROM fresh
)
SELECT fresh.id
FROM fresh, told
