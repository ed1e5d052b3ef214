-- The lines of an account's devices in its export.
-- params: account_id uuid
-- row: id uuid, line text
-- effect: read
-- work: grows with the account's devices
SELECT id, json_strip_nulls(json_build_object('kind', 'device', 'id', id, 'name', name,
	'serial', serial, 'mac', mac::text, 'linkKeyHash', encode(link_key_hash, 'hex'),
	'createdAt', json_timestamp(created_at), 'isDisabled', disabled_at IS NOT NULL,
	'brightness', brightness, 'volume', volume, 'autoDim', auto_dim, 'timezone', timezone,
	'scheduleInterval', schedule_interval_s, 'isSleepOn', sleep_enabled,
	'sleepStart', json_clock(sleep_start_minute), 'sleepEnd', json_clock(sleep_end_minute),
	'dimStart', CASE WHEN dim_enabled THEN json_clock(dim_start_minute) END,
	'dimBrightness', CASE WHEN dim_enabled THEN dim_brightness END,
	'nightBrightness', night_brightness, 'pictureLimit', picture_limit_bytes, 'locale', locale))
	::text AS line
FROM device
WHERE account_id = :account_id
ORDER BY created_at, id
