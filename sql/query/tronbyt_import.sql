-- A device that comes from a tronbyt server, with the entries of its rotation. line: the device, a JSON object,
-- with the entries in their order. An entry does not come if its app has another deployed version than was read,
-- since the form of that says which settings are secret; the lock keeps it the deployed one. is_stored is false:
-- the account has as many devices as it may. missing: the numbers of the entries that do not come, from 1, with
-- commas between them. No row: the account is gone.
-- params: account_id uuid, id uuid, line text, link_key_hash bytea, alias_key_hash bytea?, device_limit int4,
--   address text, session_id uuid
-- row: is_stored bool, missing text
-- changes: account_id, id
-- refuse: device_alias_unique -> alias_taken, device_alias_key_unique -> alias_taken
-- refuse: device_imported_unique -> device_imported
-- refuse: 22023 -> unknown_timezone
WITH owner AS (
	SELECT id, email, device_count
	FROM account
	WHERE id = :account_id AND closed_at IS NULL
	FOR NO KEY UPDATE
), line AS (
	SELECT line.*
	FROM owner, jsonb_to_record(:line::jsonb)
		AS line ("formerId" text, alias text, "aliasIsGuessable" boolean,
			"aliasIsOpen" boolean, name text, timezone text, place text, locale text, board text,
			size text, "brightnessCurve" text, "colorFilter" text,
			"nightColorFilter" text, "dimColorFilter" text, note text,
			brightness int2, "scheduleInterval" int4, "sleepEnabled" boolean, "sleepStart" int2, "sleepEnd" int2,
			"nightBrightness" int2, "dimEnabled" boolean, "dimStart" int2, "dimBrightness" int2,
			entries jsonb)
	WHERE owner.device_count < :device_limit
), entry AS (
	SELECT entry.*
	FROM line, jsonb_to_recordset(line.entries)
		AS entry (number int8, id text, "appId" uuid, "versionId" uuid, name text, note text, "colorFilter" text,
			"playsWhole" boolean, "pinsItself" boolean,
			"recurrenceRule" text, "recurrenceStart" text, "isEnabled" boolean, "isPinned" boolean, "isNight" boolean,
			"displaySeconds" int4, "startMinute" int2, "endMinute" int2, weekdays int2, settings text, "secretSettings" text,
			"settingsHash" text)
), chosen AS (
	SELECT entry.*
	FROM entry
	JOIN app ON app.id = entry."appId" AND app.status = 'active'
		AND app.deployed_version_id = entry."versionId"
		AND (app.visibility <> 'private' OR app.account_id = :account_id)
	ORDER BY app.id
	FOR SHARE OF app
), fresh AS (
	INSERT INTO device (id, account_id, name, timezone, place_json, locale, board, size, brightness_curve, color_filter,
		night_color_filter, dim_color_filter, note, link_key_hash, brightness,
		schedule_interval_s, sleep_enabled, sleep_start_minute, sleep_end_minute, night_brightness,
		dim_enabled, dim_start_minute, dim_brightness, imported_as, alias, alias_key_hash,
		alias_is_guessable, alias_is_open, generation,
		pinned_installation_id, night_installation_id)
	SELECT :id, :account_id, name, timezone, coalesce(place, ''), locale, board, coalesce(size, '64x32'),
		coalesce("brightnessCurve", ''), "colorFilter", "nightColorFilter", "dimColorFilter", coalesce(note, ''),
		:link_key_hash, brightness, "scheduleInterval", "sleepEnabled", "sleepStart", "sleepEnd",
		"nightBrightness", "dimEnabled", "dimStart", "dimBrightness", "formerId", alias,
		CASE WHEN alias IS NOT NULL THEN :alias_key_hash END,
		"aliasIsGuessable", "aliasIsOpen",
		jsonb_array_length(entries) + 1,
		(SELECT chosen.id FROM chosen WHERE "isPinned"), (SELECT chosen.id FROM chosen WHERE "isNight")
	FROM line
	RETURNING id, name
), installed AS (
	INSERT INTO installation (device_id, id, app_id, position, is_enabled, display_s, start_minute,
		end_minute, weekdays, name, note, color_filter, plays_whole, pins_itself, recurrence_rule, recurrence_start,
		settings, secret_settings, settings_hash)
	SELECT fresh.id, chosen.id, "appId", number, "isEnabled", nullif("displaySeconds", 0),
		nullif("startMinute", -1), nullif("endMinute", -1), weekdays, nullif(chosen.name, ''),
		coalesce(chosen.note, ''), "colorFilter", "playsWhole", "pinsItself", "recurrenceRule", "recurrenceStart", settings,
		decode(nullif("secretSettings", ''), 'hex'), decode("settingsHash", 'hex')
	FROM fresh, chosen
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT owner.id, owner.email, 'device.create', fresh.name, :address, :session_id
	FROM fresh, owner
)
SELECT EXISTS (SELECT FROM fresh) AS is_stored,
	coalesce((
		SELECT string_agg(number::text, ',')
		FROM entry
		WHERE number NOT IN (SELECT number FROM chosen)), '') AS missing
FROM owner
