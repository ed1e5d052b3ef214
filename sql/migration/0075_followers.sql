-- Devices that follow another one of their account: their panels show its rotation.
--
-- No row follows, so no row breaks the new rule. Older instances may run meanwhile: panels that they serve show their own
-- rotations, and their exports say nothing of leaders.
ALTER TABLE device ADD COLUMN leader_id uuid;
ALTER TABLE device ADD COLUMN own_brightness boolean NOT NULL DEFAULT false;
ALTER TABLE device ADD COLUMN own_sleep boolean NOT NULL DEFAULT false;
ALTER TABLE device ADD CONSTRAINT device_leader FOREIGN KEY (leader_id) REFERENCES device ON DELETE SET NULL
	DEFERRABLE INITIALLY IMMEDIATE;
CREATE INDEX device_followers ON device (leader_id) WHERE leader_id IS NOT NULL;
COMMENT ON COLUMN device.leader_id IS 'the device whose rotation its panel shows; NULL: its own';
COMMENT ON COLUMN device.own_brightness IS 'it keeps its own brightness and dimming if it follows';
COMMENT ON COLUMN device.own_sleep IS 'it keeps its own sleep if it follows';

-- Checks that a leader is of the same account, and follows none, and that a follower leads none: so there are no chains and
-- no circles. The lock of the leader's row makes two changes see each other, in whatever order they come: the second one
-- waits for the first, and its check sees what that has committed.
CREATE FUNCTION device_leader_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM device WHERE id = NEW.leader_id FOR SHARE;
	IF EXISTS (SELECT FROM device WHERE leader_id = NEW.id)
			OR NOT EXISTS (
				SELECT FROM device WHERE id = NEW.leader_id AND account_id = NEW.account_id AND leader_id IS NULL)
	THEN
		RAISE EXCEPTION 'a leader follows, or a follower leads'
			USING ERRCODE = '23514', CONSTRAINT = 'device_leader_leads';
	END IF;
	RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER device_leader_leads AFTER UPDATE OF leader_id ON device DEFERRABLE INITIALLY IMMEDIATE
	FOR EACH ROW WHEN (NEW.leader_id IS NOT NULL) EXECUTE FUNCTION device_leader_check();

-- With the leader.
CREATE OR REPLACE VIEW device_more AS
SELECT device.id AS device_id, device.created_at, device.connected_at, device.serial,
	coalesce(device.mac, device.told_mac)::text AS mac_text,
	device.disabled_at IS NOT NULL AS is_disabled,
	panel_info.device_id IS NULL AS is_untold, panel_info.firmware_version,
	panel_info.firmware_type, panel_info.protocol_version, panel_info.hostname, panel_info.ssid,
	panel_info.wifi_signal, coalesce(panel_info.told_at, device.created_at) AS told_at,
	device.alias::text AS alias, device.second_key_hash IS NOT NULL AS is_moving,
	device.leader_id::text AS leader
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id;

-- Makes an account of all lines of an import, or nothing if a rule forbids one of them: then failed_line says which,
-- and rule has the name of the constraint or an SQLSTATE; import_time: it is not done after limit_s. It may be called
-- again: what it did stays its answer, even after a crash of PostgreSQL, which forgets the import: the account has its
-- ID. Only how many entries were skipped is not known then. is_busy: another call is under way. No row: there is neither
-- an import nor its account. columns: by kinds of lines, those of account_import_settings(). Leaders of devices may come
-- after these.
CREATE OR REPLACE FUNCTION account_import_apply(of_id uuid, by_session uuid, limit_s int4, columns jsonb DEFAULT '{}')
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
		SET CONSTRAINTS device_leader, device_leader_leads DEFERRED;
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
			ELSIF columns ? staged.kind THEN
				PERFORM account_import_settings(columns -> staged.kind, staged.kind, staged.line::jsonb, of_id, at_app,
					at_device);
			END IF;
		END LOOP;
		IF account = '' THEN
			RAISE EXCEPTION 'no account' USING ERRCODE = '23503', CONSTRAINT = 'import_order';
		END IF;
		SELECT follower.number, follower.kind, follower.name
		INTO failed_line, failed_kind, failed_name
		FROM account_import_line AS follower
		LEFT JOIN device AS leader
			ON leader.id = (follower.line::jsonb ->> 'leader')::uuid AND leader.account_id = of_id
		WHERE follower.import_id = of_id AND follower.kind = 'device' AND follower.line::jsonb ? 'leader'
			AND leader.id IS NULL
		ORDER BY follower.number
		LIMIT 1;
		IF FOUND THEN
			RAISE EXCEPTION 'no such leader' USING ERRCODE = '23503', CONSTRAINT = 'import_leader_missing';
		END IF;
		failed_line := 1; failed_kind := 'account'; failed_name := account;
		SET CONSTRAINTS device_leader, device_leader_leads IMMEDIATE;
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
