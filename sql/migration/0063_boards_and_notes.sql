-- Boards of panels, all that their firmware reports, and notes of owners about devices and entries.
--
-- No board is chosen so far, nothing more is reported, and no row has a note, so no row breaks a new rule. Older
-- instances may run meanwhile: they leave all of it out, and an import there sets none.

CREATE DOMAIN board_name AS text
	CONSTRAINT board_name_known CHECK (VALUE IN ('tidbyt_gen1', 'tidbyt_gen2', 'tronbyt_s3', 'tronbyt_s3_wide',
		'matrixportal_s3', 'matrixportal_s3_waveshare', 'waveshare_s3', 'pixoticker', 'raspberrypi',
		'raspberrypi_wide', 'other'));

ALTER TABLE device ADD COLUMN board board_name;
COMMENT ON COLUMN device.board IS 'board of its panel, chosen by the owner, since panels do not report it; NULL: not chosen';

CREATE DOMAIN note_text AS text CONSTRAINT note_text_length CHECK (char_length(VALUE) <= 1000);
ALTER TABLE device ADD COLUMN note note_text NOT NULL DEFAULT '';
COMMENT ON COLUMN device.note IS 'of its owner; empty: none';
-- No domain: PostgreSQL would copy the table, with all pictures.
ALTER TABLE installation
	ADD COLUMN note text NOT NULL DEFAULT '',
	ADD CONSTRAINT installation_note_length CHECK (char_length(note) <= 1000) NOT VALID;
ALTER TABLE installation VALIDATE CONSTRAINT installation_note_length;
COMMENT ON COLUMN installation.note IS 'of its owner; empty: none';

ALTER TABLE panel_info ADD COLUMN settings jsonb NOT NULL DEFAULT '{}';
ALTER TABLE panel_info ADD CONSTRAINT panel_info_settings CHECK (octet_length(settings::text) <= 4096);
COMMENT ON COLUMN panel_info.settings IS 'settings of the firmware that it reported, with the names of the API';

-- Reported settings of a panel, also those that were stored before there was a column for all.
CREATE FUNCTION firmware_settings(hostname text, settings jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
	SELECT jsonb_strip_nulls(jsonb_build_object('hostname', hostname)) || coalesce(settings, '{}')
$$;

CREATE VIEW device_firmware AS
SELECT device.id AS device_id, device.board::text AS board, panel_info.firmware_version AS version,
	panel_info.firmware_type AS type, panel_info.protocol_version, panel_info.ssid, panel_info.wifi_signal,
	firmware_settings(panel_info.hostname, panel_info.settings)::text AS settings, panel_info.told_at AS reported_at
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id;

-- With the board, the note, and all that was reported.
CREATE OR REPLACE VIEW device_v0 AS
SELECT device.id, device.account_id, device.created_at, device.settings_revision, device.name,
	device.schedule_interval_s, device.brightness, device.auto_dim, device.sleep_enabled,
	coalesce(entry_id_v0(night.id, night.app_id), '') AS night_entry, device.sleep_start_minute,
	device.sleep_end_minute, device.night_brightness, NOT device.dim_enabled AS is_dim_off,
	device.dim_start_minute, device.dim_brightness,
	coalesce(entry_id_v0(pinned.id, pinned.app_id), '') AS pinned_entry,
	CASE WHEN device.connected_at IS NOT NULL THEN device.last_online_at END AS last_seen_at,
	panel_info.firmware_version, panel_info.firmware_type, panel_info.protocol_version,
	coalesce(device.mac, device.told_mac)::text AS mac_text,
	now.is_asleep,
	CASE WHEN device.is_sleep_set AND device.sleep_set_until > present_time() THEN device.sleep_set_until END
		AS asleep_until,
	device.dim_enabled,
	NOT now.is_asleep AND is_asleep_now(device.is_dim_set, device.dim_set_until, device.is_set_dimmed,
		device.dim_enabled, device.dim_start_minute, device.sleep_end_minute, device.timezone) AS is_dimmed,
	CASE WHEN device.dim_enabled THEN json_clock(device.dim_start_minute) END AS dim_start,
	CASE WHEN device.is_dim_set AND device.dim_set_until > present_time() THEN device.dim_set_until END
		AS dimmed_until,
	device.board::text AS board, device.note,
	(jsonb_build_object('firmwareVersion', coalesce(panel_info.firmware_version, ''),
		'firmwareType', coalesce(panel_info.firmware_type, ''), 'protocolVersion', panel_info.protocol_version,
		'macAddress', coalesce(coalesce(device.mac, device.told_mac)::text, ''))
		|| jsonb_strip_nulls(jsonb_build_object('ssid', panel_info.ssid))
		|| firmware_settings(panel_info.hostname, panel_info.settings))::text AS info
FROM device
CROSS JOIN LATERAL (SELECT is_asleep_now(device.is_sleep_set, device.sleep_set_until, device.is_set_asleep,
	device.sleep_enabled, device.sleep_start_minute, device.sleep_end_minute, device.timezone) AS is_asleep) AS now
LEFT JOIN panel_info ON panel_info.device_id = device.id
LEFT JOIN installation AS night ON night.device_id = device.id AND night.id = device.night_installation_id
	AND is_present(night.expires_at)
LEFT JOIN installation AS pinned ON pinned.device_id = device.id AND pinned.id = device.pinned_installation_id
	AND is_present(pinned.expires_at);

-- With the board and the notes.
CREATE OR REPLACE FUNCTION account_import_line_apply(of_import uuid, new_email text, keeps_public boolean, at_app uuid,
	at_device uuid, of_kind text, of_name text, of_line text, new_picture bytea, new_settings text, new_secrets bytea,
	new_hash bytea, new_checksum text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	now_at timestamptz := present_time();
	content jsonb := of_line::jsonb;
	app_found uuid;
	version_made uuid;
BEGIN
	CASE of_kind
	WHEN 'account' THEN
		INSERT INTO account (id, email, name, created_at, password_hash)
		SELECT of_import, coalesce(nullif(new_email, ''), one.email), one.name, least("createdAt", now_at), "passwordHash"
		FROM jsonb_to_record(content)
			AS one (email text, name text, "createdAt" timestamptz, "passwordHash" text);
	WHEN 'app' THEN
		-- An insert locks the table against imports of apps, even one of no row.
		IF content ? 'importedAs' AND NOT EXISTS (
			SELECT FROM app_collection WHERE app_collection.name = coalesce(content ->> 'collection', 'imported'))
		THEN
			INSERT INTO app_collection (id, name)
			VALUES (gen_random_uuid(), coalesce(content ->> 'collection', 'imported'))
			ON CONFLICT (name) DO NOTHING;
		END IF;
		INSERT INTO app (id, account_id, slug, name, description, visibility, status, created_at, author,
			imported_as, collection_id, category, tags, broken_reason)
		SELECT one.id, of_import, one.slug, one.name, one.description,
			CASE WHEN keeps_public THEN one.visibility ELSE 'private' END,
			CASE WHEN "isDisabled" THEN 'disabled' ELSE 'draft' END, least("createdAt", now_at), one.author,
			"importedAs",
			CASE WHEN "importedAs" IS NOT NULL THEN (
				SELECT app_collection.id
				FROM app_collection
				WHERE app_collection.name = coalesce(one.collection, 'imported')) END,
			coalesce(one.category, ''),
			'[' || coalesce((SELECT string_agg(to_json(tag)::text, ',' ORDER BY place)
				FROM jsonb_array_elements_text(one.tags) WITH ORDINALITY AS each (tag, place)), '') || ']',
			"brokenReason"
		FROM jsonb_to_record(content)
			AS one (id uuid, slug text, name text, description text, visibility text, "isDisabled" boolean,
				"createdAt" timestamptz, author text, "importedAs" text, collection text, category text,
				tags jsonb, "brokenReason" text);
	WHEN 'version' THEN
		INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status, created_at,
			reviewed_at, rejection_reason, review_summary)
		SELECT gen_random_uuid(), at_app, one.name, "scriptLanguage", "scriptContent", new_checksum, one.status,
			least("createdAt", now_at), least("reviewedAt", CASE WHEN "reviewedAt" IS NOT NULL THEN now_at END),
			"rejectionReason", "reviewSummary"
		FROM jsonb_to_record(content)
			AS one (name text, "scriptLanguage" text, "scriptContent" text, status text, "createdAt" timestamptz,
				"reviewedAt" timestamptz, "rejectionReason" text, "reviewSummary" text)
		RETURNING app_version.id INTO version_made;
		INSERT INTO app_version_comment (version_id, position, author, comment, line, created_at)
		SELECT version_made, remark.position, remark.said ->> 'author', remark.said ->> 'comment',
			(remark.said ->> 'line')::int4, least((remark.said ->> 'createdAt')::timestamptz, now_at)
		FROM jsonb_array_elements(content -> 'comments') WITH ORDINALITY AS remark (said, position);
		UPDATE app
		SET is_submitted = true,
			generation = app.generation + 1,
			deployed_version_id = CASE
				WHEN (content ->> 'isDeployed')::boolean THEN version_made ELSE deployed_version_id END,
			status = CASE
				WHEN app.status = 'disabled' THEN app.status
				WHEN (content ->> 'isDeployed')::boolean OR deployed_version_id IS NOT NULL THEN 'active'
				ELSE 'pending'
			END
		WHERE app.id = at_app;
		INSERT INTO audit_entry (actor, action, target)
		SELECT 'displayctl', 'version.approve', app.slug || ' ' || of_name
		FROM app
		WHERE app.id = at_app AND content ->> 'status' = 'APPROVED';
	WHEN 'draft' THEN
		INSERT INTO app_draft (app_id, script_language, script_content)
		VALUES (at_app, content ->> 'scriptLanguage', content ->> 'scriptContent');
	WHEN 'device' THEN
		INSERT INTO device (id, account_id, name, serial, mac, link_key_hash, created_at, disabled_at,
			last_online_at, brightness, volume, auto_dim, timezone, schedule_interval_s, sleep_enabled,
			sleep_start_minute, sleep_end_minute, night_brightness, picture_limit_bytes, locale, dim_enabled,
			dim_start_minute, dim_brightness, board, note)
		SELECT one.id, of_import, one.name, one.serial, one.mac, decode("linkKeyHash", 'hex'),
			least("createdAt", now_at), CASE WHEN "isDisabled" THEN now_at END, least("createdAt", now_at),
			one.brightness, one.volume, "autoDim", one.timezone, "scheduleInterval", "isSleepOn",
			extract(epoch FROM "sleepStart") / 60, extract(epoch FROM "sleepEnd") / 60, "nightBrightness",
			"pictureLimit", one.locale, "dimStart" IS NOT NULL,
			coalesce(extract(epoch FROM "dimStart") / 60, 1200), coalesce("dimBrightness", 20), one.board,
			coalesce(one.note, '')
		FROM jsonb_to_record(content)
			AS one (id uuid, name text, serial text, mac macaddr, "linkKeyHash" text, "createdAt" timestamptz,
				"isDisabled" boolean, brightness int2, volume int2, "autoDim" boolean, timezone text,
				"scheduleInterval" int4, "isSleepOn" boolean, "sleepStart" time, "sleepEnd" time,
				"nightBrightness" int2, "pictureLimit" int4, locale text, "dimStart" time, "dimBrightness" int2,
				board text, note text);
		PERFORM pg_notify('displayd_hint', 'read:' || (content ->> 'id'));
	WHEN 'entry' THEN
		SELECT app.id INTO app_found
		FROM app
		WHERE content ? 'app' AND app.id = coalesce(
				(SELECT same.id FROM app AS same
					WHERE same.id = (content ->> 'appId')::uuid AND same.slug = content ->> 'app'),
				(SELECT same.id FROM app AS same
					JOIN app_collection ON app_collection.id = same.collection_id
					WHERE same.slug = content ->> 'app' AND app_collection.name = content ->> 'appCollection'),
				app_named(of_import, content ->> 'app'))
			AND (app.account_id = of_import OR (app.visibility <> 'private' AND app.status = 'active'));
		IF content ? 'app' AND app_found IS NULL THEN
			RETURN false;
		END IF;
		INSERT INTO installation (device_id, id, app_id, position, created_at, picture, picture_hash,
			picture_generation, replaced_at, expires_at, expires_generation, is_enabled, display_s, start_minute,
			end_minute, weekdays, name, note, settings, secret_settings, settings_hash)
		SELECT at_device, one.id, app_found, device.generation + 1, least("createdAt", now_at), new_picture,
			picture_name(new_picture), device.generation + 1,
			CASE WHEN "replacedAt" IS NOT NULL THEN least("replacedAt", now_at) END, "expiresAt",
			device.generation + 1, "isEnabled", "displaySeconds", extract(epoch FROM "hoursStart") / 60,
			extract(epoch FROM "hoursEnd") / 60, one.weekdays, one.name,
			coalesce(one.note, ''), new_settings, new_secrets, new_hash
		FROM device, jsonb_to_record(content)
			AS one (id text, "createdAt" timestamptz, "replacedAt" timestamptz, "expiresAt" timestamptz,
				"isEnabled" boolean, "displaySeconds" int4, "hoursStart" time, "hoursEnd" time, weekdays int2,
				name text, note text)
		WHERE device.id = at_device;
		-- The app's version here may declare secret what the other instance had in the clear.
		IF app_found IS NOT NULL AND new_settings <> '{}' THEN
			PERFORM app_is_to_be_sealed(app_found);
		END IF;
		IF octet_length(new_picture) > (SELECT picture_limit_bytes FROM device WHERE id = at_device) THEN
			RAISE EXCEPTION 'large picture' USING ERRCODE = '23514', CONSTRAINT = 'import_picture_size';
		END IF;
		UPDATE device
		SET generation = generation + 1,
			pinned_installation_id = CASE
				WHEN (content ->> 'isPinned')::boolean THEN content ->> 'id' ELSE pinned_installation_id END,
			night_installation_id = CASE
				WHEN (content ->> 'isNight')::boolean THEN content ->> 'id' ELSE night_installation_id END
		WHERE id = at_device;
	WHEN 'key' THEN
		INSERT INTO api_key (id, account_id, name, secret_hash, first_characters, scope, device_ids, ends_at,
			created_at)
		SELECT one.id, of_import, one.name, decode("secretHash", 'hex'), "firstCharacters",
			coalesce(one.scope, 'all'), "deviceIds", "endsAt", least("createdAt", now_at)
		FROM jsonb_to_record(content)
			AS one (id uuid, name text, "secretHash" text, "firstCharacters" text, scope text,
				"deviceIds" uuid[], "endsAt" timestamptz, "createdAt" timestamptz);
	WHEN 'passkey' THEN
		INSERT INTO passkey (id, account_id, credential_id, algorithm, public_key, sign_count, name, created_at)
		SELECT gen_random_uuid(), of_import, "credentialId", one.algorithm, decode("publicKey", 'base64'), "signCount",
			one.name, least("createdAt", now_at)
		FROM jsonb_to_record(content)
			AS one ("credentialId" text, algorithm int4, "publicKey" text, "signCount" int8, name text,
				"createdAt" timestamptz);
	END CASE;
	RETURN true;
END
$$;
COMMENT ON FUNCTION account_import_line_apply IS 'rare: an account is imported';
