-- Accounts that another instance has exported, as long as not all of their lines have come.

-- displayctl sends the lines of an export in parts. All of them become an account in one transaction, or nothing.
--
-- The tables are unlogged: what is staged is worth nothing after a crash of PostgreSQL, and is written once only.
CREATE TABLE account_import (
	id uuid PRIMARY KEY,
	email text NOT NULL,
	keeps_public boolean NOT NULL,
	skips_missing boolean NOT NULL,
	line_count int8 NOT NULL DEFAULT 0,
	byte_count int8 NOT NULL DEFAULT 0,
	ends_at timestamptz NOT NULL,
	result jsonb
);
ALTER TABLE account_import SET UNLOGGED;
CREATE INDEX account_import_end ON account_import (ends_at);
COMMENT ON TABLE account_import IS 'an account that is being imported by the operator';
COMMENT ON COLUMN account_import.email IS 'the address that the account gets; empty: the one of its line';
COMMENT ON COLUMN account_import.ends_at IS 'from then on it is as if it were not there';
COMMENT ON COLUMN account_import.result IS 'what was imported; NULL: nothing yet';

CREATE TABLE account_import_line (
	import_id uuid NOT NULL,
	number int8 NOT NULL,
	kind text NOT NULL,
	name text NOT NULL,
	line text NOT NULL,
	picture bytea,
	settings text,
	secret_settings bytea,
	settings_hash bytea,
	checksum text,
	PRIMARY KEY (import_id, number)
);
ALTER TABLE account_import_line SET UNLOGGED;
COMMENT ON TABLE account_import_line IS 'a checked line of an export, with what was made of it';
COMMENT ON COLUMN account_import_line.name IS 'what the line is about, for people';

-- Makes an account of all lines of an import, or nothing if a rule forbids one of them: then failed_line says which,
-- and rule has the name of the constraint or an SQLSTATE; import_time: it is not done after limit_s. It may be called
-- again: what it did stays its answer, even after a crash of PostgreSQL, which forgets the import: the account has its
-- ID. Only how many entries were skipped is not known then. is_busy: another call is under way. No row: there is neither
-- an import nor its account.
CREATE FUNCTION account_import_apply(of_id uuid, by_session uuid, limit_s int4)
RETURNS TABLE (is_busy boolean, account text, devices int8, entries int8, apps int8, versions int8, keys int8,
	skipped int8, failed_line int8, failed_kind text, failed_name text, rule text) LANGUAGE plpgsql AS $$
DECLARE
	import account_import;
	staged account_import_line;
	at_app uuid;
	at_slug text;
	at_device uuid;
	is_alone boolean;
	begun_at timestamptz := present_time();
BEGIN
	PERFORM set_config('displayd.import_counts', 'on', true);
	is_busy := false;
	devices := 0; entries := 0; apps := 0; versions := 0; keys := 0; skipped := 0; failed_line := 0;
	account := ''; failed_kind := ''; failed_name := ''; rule := '';
	SELECT * INTO import FROM account_import WHERE id = of_id FOR UPDATE SKIP LOCKED;
	IF import.result IS NOT NULL THEN
		SELECT one.account, one.devices, one.entries, one.apps, one.versions, one.keys, one.skipped
		INTO account, devices, entries, apps, versions, keys, skipped
		FROM jsonb_to_record(import.result) AS one (account text, devices int8, entries int8, apps int8, versions int8,
			keys int8, skipped int8);
		RETURN NEXT;
		RETURN;
	END IF;
	IF import.id IS NULL AND EXISTS (SELECT FROM account_import WHERE id = of_id) THEN
		is_busy := true;
		RETURN NEXT;
		RETURN;
	END IF;
	IF import.id IS NULL OR import.ends_at <= present_time() THEN
		RETURN QUERY
			SELECT false, made.email, made.device_count::int8,
				(SELECT coalesce(sum(device.entry_count), 0)::int8 FROM device WHERE device.account_id = of_id),
				made.owned_app_count::int8,
				(SELECT coalesce(sum(app.version_count), 0)::int8 FROM app WHERE app.account_id = of_id),
				made.key_count::int8, 0::int8, 0::int8, '', '', ''
			FROM account AS made
			WHERE made.id = of_id;
		RETURN;
	END IF;
	BEGIN
		FOR staged IN SELECT * FROM account_import_line WHERE import_id = of_id ORDER BY number LOOP
			failed_line := staged.number;
			failed_kind := staged.kind;
			failed_name := staged.name;
			IF present_time() > begun_at + limit_s * interval '1 second' THEN
				RAISE EXCEPTION 'too long' USING ERRCODE = '23514', CONSTRAINT = 'import_time';
			END IF;
			CASE staged.kind
			WHEN 'account' THEN account := coalesce(nullif(import.email, ''), staged.name);
			WHEN 'app' THEN
				apps := apps + 1;
				at_app := staged.line::jsonb ->> 'id';
				at_slug := staged.name;
			WHEN 'version' THEN versions := versions + 1;
			WHEN 'device' THEN devices := devices + 1; at_device := staged.line::jsonb ->> 'id';
			WHEN 'entry' THEN entries := entries + 1;
			WHEN 'key' THEN keys := keys + 1;
			ELSE NULL;
			END CASE;
			IF staged.kind IN ('version', 'draft') AND staged.line::jsonb ->> 'app' IS DISTINCT FROM at_slug
					OR staged.kind = 'entry' AND (staged.line::jsonb ->> 'device')::uuid IS DISTINCT FROM at_device
					OR (staged.kind = 'account') <> (staged.number = 1) THEN
				RAISE EXCEPTION 'wrong order' USING ERRCODE = '23503', CONSTRAINT = 'import_order';
			END IF;
			IF NOT account_import_line_apply(of_id, import.email, import.keeps_public, at_app, at_device, staged.kind,
					staged.name, staged.line, staged.picture, staged.settings, staged.secret_settings,
					staged.settings_hash, staged.checksum) THEN
				IF NOT import.skips_missing THEN
					failed_name := staged.line::jsonb ->> 'app';
					RAISE EXCEPTION 'no such app' USING ERRCODE = '23503', CONSTRAINT = 'import_app_missing';
				END IF;
				entries := entries - 1;
				skipped := skipped + 1;
			END IF;
		END LOOP;
		IF account = '' THEN
			RAISE EXCEPTION 'no account' USING ERRCODE = '23503', CONSTRAINT = 'import_order';
		END IF;
		failed_line := 1; failed_kind := 'account'; failed_name := account;
		UPDATE site SET account_count = account_count + 1 WHERE is_it RETURNING account_count = 1 INTO is_alone;
		UPDATE account AS made
		SET device_count = devices,
			app_count = apps,
			owned_app_count = apps,
			reaches_local = reaches_local AND is_alone
		WHERE made.id = of_id;
	EXCEPTION WHEN integrity_constraint_violation OR data_exception THEN
		GET STACKED DIAGNOSTICS rule = CONSTRAINT_NAME;
		IF rule = '' THEN
			GET STACKED DIAGNOSTICS rule = RETURNED_SQLSTATE;
		END IF;
		RETURN NEXT;
		RETURN;
	END;
	failed_line := 0; failed_kind := ''; failed_name := '';
	DELETE FROM account_import_line WHERE import_id = of_id;
	INSERT INTO audit_entry (actor, action, target, session_id)
	VALUES ('displayctl', 'account.import', account, by_session);
	UPDATE account_import
	SET result = jsonb_build_object('account', account, 'devices', devices, 'entries', entries, 'apps', apps,
			'versions', versions, 'keys', keys, 'skipped', skipped)
	WHERE id = of_id;
	RETURN NEXT;
END
$$;

-- While an import is applied, nothing counts its account and what that has: each count would be a further version of the
-- one row of the account, and all of them would be looked through for the next; and the site's row, which everybody's
-- registration needs, would be locked until the end. account_import_apply() counts once instead, at the end.
CREATE FUNCTION account_import_counts() RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT coalesce(current_setting('displayd.import_counts', true), '') = 'on'
$$;

-- Makes the rows of a line, of an account whose ID is that of its import. at_app and at_device: of the lines before it.
-- False: an entry whose app is not here. A line that breaks a rule raises it.
CREATE FUNCTION account_import_line_apply(of_import uuid, new_email text, keeps_public boolean, at_app uuid,
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
			dim_start_minute, dim_brightness)
		SELECT one.id, of_import, one.name, one.serial, one.mac, decode("linkKeyHash", 'hex'),
			least("createdAt", now_at), CASE WHEN "isDisabled" THEN now_at END, least("createdAt", now_at),
			one.brightness, one.volume, "autoDim", one.timezone, "scheduleInterval", "isSleepOn",
			extract(epoch FROM "sleepStart") / 60, extract(epoch FROM "sleepEnd") / 60, "nightBrightness",
			"pictureLimit", one.locale, "dimStart" IS NOT NULL,
			coalesce(extract(epoch FROM "dimStart") / 60, 1200), coalesce("dimBrightness", 20)
		FROM jsonb_to_record(content)
			AS one (id uuid, name text, serial text, mac macaddr, "linkKeyHash" text, "createdAt" timestamptz,
				"isDisabled" boolean, brightness int2, volume int2, "autoDim" boolean, timezone text,
				"scheduleInterval" int4, "isSleepOn" boolean, "sleepStart" time, "sleepEnd" time,
				"nightBrightness" int2, "pictureLimit" int4, locale text, "dimStart" time, "dimBrightness" int2);
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
			end_minute, weekdays, name, settings, secret_settings, settings_hash)
		SELECT at_device, one.id, app_found, device.generation + 1, least("createdAt", now_at), new_picture,
			picture_name(new_picture), device.generation + 1,
			CASE WHEN "replacedAt" IS NOT NULL THEN least("replacedAt", now_at) END, "expiresAt",
			device.generation + 1, "isEnabled", "displaySeconds", extract(epoch FROM "hoursStart") / 60,
			extract(epoch FROM "hoursEnd") / 60, one.weekdays, one.name, new_settings, new_secrets,
			new_hash
		FROM device, jsonb_to_record(content)
			AS one (id text, "createdAt" timestamptz, "replacedAt" timestamptz, "expiresAt" timestamptz,
				"isEnabled" boolean, "displaySeconds" int4, "hoursStart" time, "hoursEnd" time, weekdays int2,
				name text)
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

SET LOCAL check_function_bodies = on;
