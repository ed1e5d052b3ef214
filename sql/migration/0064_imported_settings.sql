-- Settings that docs/api describes are exported and imported without being named here: the importing displayd gives
-- their columns (tools/exported.py).
--
-- No row changes. Older instances may run meanwhile: they give no columns, refuse files with settings that they do not
-- know, and account_import_line_apply() still names the columns that they know.

-- Sets columns of the row that a line has made. columns: {member of the line: column}; of a clock it is [column,
-- "clock"]. A member that the line does not have, since an older displayd wrote it, leaves the column's default.
CREATE FUNCTION account_import_settings(columns jsonb, of_kind text, of_line jsonb, of_account uuid, at_app uuid,
	at_device uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	changes jsonb;
	names text;
	of_table text;
	condition text;
BEGIN
	SELECT jsonb_object_agg(one.name, one.value), string_agg(format('%I', one.name), ', ')
	INTO changes, names
	FROM (
		SELECT coalesce(said.value ->> 0, said.value #>> '{}') AS name,
			CASE WHEN jsonb_typeof(said.value) = 'array'
				THEN to_jsonb(extract(epoch FROM (of_line ->> said.key)::time)::int4 / 60)
				ELSE of_line -> said.key
			END AS value
		FROM jsonb_each(columns) AS said
		WHERE of_line ? said.key
	) AS one;
	IF names IS NULL THEN
		RETURN;
	END IF;
	CASE of_kind
	WHEN 'account' THEN of_table := 'account'; condition := 'id = $2';
	WHEN 'app' THEN of_table := 'app'; condition := 'id = $3';
	WHEN 'draft' THEN of_table := 'app_draft'; condition := 'app_id = $3';
	WHEN 'device' THEN of_table := 'device'; condition := 'id = $4';
	WHEN 'entry' THEN of_table := 'installation'; condition := $sql$device_id = $4 AND id = $5 ->> 'id'$sql$;
	WHEN 'key' THEN of_table := 'api_key'; condition := $sql$id = ($5 ->> 'id')::uuid$sql$;
	WHEN 'passkey' THEN of_table := 'passkey'; condition := $sql$credential_id = $5 ->> 'credentialId'$sql$;
	END CASE;
	-- The other columns come from the row itself: a record of NULLs would break their domains.
	EXECUTE format('UPDATE %I AS made SET (%s) = (SELECT %2$s FROM jsonb_populate_record(made, $1)) WHERE %3$s',
		of_table, names, condition)
	USING changes, of_account, at_app, at_device, of_line;
END
$$;

DROP FUNCTION account_import_apply(uuid, uuid, int4);

-- Makes an account of all lines of an import, or nothing if a rule forbids one of them: then failed_line says which,
-- and rule has the name of the constraint or an SQLSTATE; import_time: it is not done after limit_s. It may be called
-- again: what it did stays its answer, even after a crash of PostgreSQL, which forgets the import: the account has its
-- ID. Only how many entries were skipped is not known then. is_busy: another call is under way. No row: there is neither
-- an import nor its account. columns: by kinds of lines, those of account_import_settings().
CREATE FUNCTION account_import_apply(of_id uuid, by_session uuid, limit_s int4, columns jsonb DEFAULT '{}')
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
			ELSIF columns ? staged.kind THEN
				PERFORM account_import_settings(columns -> staged.kind, staged.kind, staged.line::jsonb, of_id, at_app,
					at_device);
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
