-- Devices, and what their panels tell of themselves.

CREATE TABLE device (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	name device_name NOT NULL,
	serial device_serial,
	mac macaddr,
	link_key_hash sha256_hash NOT NULL,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	disabled_at timestamptz,
	last_online_at timestamptz NOT NULL DEFAULT present_time(),
	brightness percentage NOT NULL DEFAULT 60,
	volume percentage NOT NULL DEFAULT 50,
	auto_dim boolean NOT NULL DEFAULT false,
	timezone timezone_name NOT NULL DEFAULT 'UTC',
	schedule_interval_s schedule_interval_s NOT NULL DEFAULT 15,
	sleep_enabled boolean NOT NULL DEFAULT false,
	sleep_start_minute minute_of_day NOT NULL DEFAULT 1320,
	sleep_end_minute minute_of_day NOT NULL DEFAULT 420,
	generation int8 NOT NULL DEFAULT 0,
	last_push_generation int8 NOT NULL DEFAULT 0,
	last_push_at timestamptz NOT NULL DEFAULT '-infinity',
	entry_count device_entry_count NOT NULL DEFAULT 0,
	settings_revision int8 NOT NULL DEFAULT 1,
	connected_at timestamptz,
	pinned_installation_id text,
	night_installation_id text,
	night_brightness night_brightness NOT NULL DEFAULT 10,
	picture_limit_bytes picture_limit_bytes NOT NULL DEFAULT 460000,
	locale language_tag NOT NULL DEFAULT 'en',
	told_mac macaddr,
	picture_bytes int8 NOT NULL DEFAULT 0,
	turn_count int8 NOT NULL DEFAULT 0,
	turned_at timestamptz,
	is_sleep_set boolean NOT NULL DEFAULT false,
	is_set_asleep boolean NOT NULL DEFAULT false,
	sleep_set_until timestamptz,
	dim_enabled boolean NOT NULL DEFAULT false,
	dim_start_minute minute_of_day NOT NULL DEFAULT 1200,
	dim_brightness percentage NOT NULL DEFAULT 20,
	allows_own_key boolean NOT NULL DEFAULT false,
	imported_as former_id,
	alias former_id,
	alias_key_hash sha256_hash,
	second_key_hash sha256_hash,
	order_generation int8,
	ordered_at timestamptz,
	order_key bytea,
	webhook_events int4 NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE INDEX device_account ON device (account_id, created_at, id);
CREATE UNIQUE INDEX device_alias_unique ON device (alias) WHERE alias IS NOT NULL;
CREATE UNIQUE INDEX device_imported_unique ON device (account_id, imported_as) WHERE imported_as IS NOT NULL;
CREATE INDEX device_link_key ON device (link_key_hash);
CREATE INDEX device_lower_name ON device (lower(name));
CREATE INDEX device_told_mac ON device (told_mac, account_id) WHERE told_mac IS NOT NULL;
-- After device_account: of two indexes that seem to cost the same, PostgreSQL takes the newer one, and an account may have
-- 1,000 devices.
ALTER TABLE device
	ADD CONSTRAINT device_mac_unique UNIQUE (mac, account_id),
	ADD CONSTRAINT device_serial_unique UNIQUE (serial, account_id);
COMMENT ON COLUMN device.mac IS 'as it was registered';
COMMENT ON COLUMN device.link_key_hash IS 'SHA-256 of the key in the device''s URLs';
COMMENT ON COLUMN device.sleep_start_minute IS 'minutes after midnight in the device''s time zone';
COMMENT ON COLUMN device.generation IS
	'grows with every change that a panel can see; instances tell each other of it';
COMMENT ON COLUMN device.last_push_generation IS
	'of the newest push: pushes that race are answered in the order in which they were stored';
COMMENT ON COLUMN device.entry_count IS
	'rows in installation, kept by a trigger: the limit is a constraint that holds under concurrency';
COMMENT ON COLUMN device.settings_revision IS
	'grows with every change of the settings that the API shows; the first half of its entity tag';
COMMENT ON COLUMN device.connected_at IS 'when a panel first connected, written behind; NULL: none has';
COMMENT ON COLUMN device.pinned_installation_id IS 'the entry that is shown alone; NULL: none';
COMMENT ON COLUMN device.night_installation_id IS
	'the entry that is shown alone in the sleep window; NULL: the panel is dark then';
COMMENT ON COLUMN device.picture_limit_bytes IS 'what the board of its panel takes of a picture';
COMMENT ON COLUMN device.locale IS 'the language of apps, as in BCP 47';
COMMENT ON COLUMN device.told_mac IS
	'what the panel says of itself: finds the device in its account, unless another is registered so';
COMMENT ON COLUMN device.picture_bytes IS
	'of pushed pictures; kept by the statements that replace one, and a trigger on entries that come and go';
COMMENT ON COLUMN device.turn_count IS
	'how often it was told to show the next entry of its rotation, the last time at turned_at';
COMMENT ON COLUMN device.is_sleep_set IS
	'until sleep_set_until (NULL: no end) it is asleep if is_set_asleep, else awake, whatever its plan says';
COMMENT ON COLUMN device.dim_enabled IS
	'from dim_start_minute to sleep_end_minute its brightness is at most dim_brightness';
COMMENT ON COLUMN device.allows_own_key IS
	'the key of its URLs is taken by /v0, too: to push to it, and to list and remove its entries';
COMMENT ON COLUMN device.imported_as IS 'its ID on the server that it was imported from; NULL: it was made here';
COMMENT ON COLUMN device.alias IS
	'its panel may come to /ALIAS/next and /ALIAS/ws, without the key; NULL: to its own address only';
COMMENT ON COLUMN device.alias_key_hash IS
	'SHA-256 of the key that its panel must show at the alias; NULL: none';
COMMENT ON COLUMN device.second_key_hash IS
	'SHA-256 of a key that is link_key_hash from the moment that the panel comes with it';
COMMENT ON COLUMN device.order_generation IS
	'generation at which its panel was told to start again; NULL: a worker has sent the order, or there is none';
COMMENT ON COLUMN device.order_key IS
	'second key, encrypted, as long as it is that: an order tells the panel its new address first, each time the same';
COMMENT ON COLUMN device.webhook_events IS 'those of its account: so a change of a device that nobody wants costs nothing';

CREATE TABLE panel_info (
	device_id uuid PRIMARY KEY REFERENCES device ON DELETE CASCADE,
	firmware_version text,
	firmware_type text,
	protocol_version int4,
	hostname text,
	ssid text,
	wifi_signal int4,
	told_at timestamptz NOT NULL DEFAULT present_time(),
	CONSTRAINT panel_info_lengths CHECK (
		char_length(firmware_version) BETWEEN 1 AND 64
		AND char_length(firmware_type) BETWEEN 1 AND 64
		AND char_length(hostname) BETWEEN 1 AND 64
		AND char_length(ssid) BETWEEN 1 AND 64)
);
COMMENT ON TABLE panel_info IS 'what a panel''s firmware has told of itself: text of strangers';
COMMENT ON COLUMN panel_info.wifi_signal IS 'dBm';

-- Facts that the pages show of a device beside its settings.
CREATE VIEW device_more AS
SELECT device.id AS device_id, device.created_at, device.connected_at, device.serial,
	coalesce(device.mac, device.told_mac)::text AS mac_text,
	device.disabled_at IS NOT NULL AS is_disabled,
	panel_info.device_id IS NULL AS is_untold, panel_info.firmware_version,
	panel_info.firmware_type, panel_info.protocol_version, panel_info.hostname, panel_info.ssid,
	panel_info.wifi_signal, coalesce(panel_info.told_at, device.created_at) AS told_at,
	device.alias::text AS alias, device.second_key_hash IS NOT NULL AS is_moving
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id;

CREATE FUNCTION device_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF account_import_counts() THEN
		RETURN NULL;
	END IF;
	UPDATE account
	SET device_count = device_count + changed.count * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
	FROM (SELECT account_id, count(*)::int4 AS count FROM changed GROUP BY account_id) AS changed
	WHERE account.id = changed.account_id;
	RETURN NULL;
END
$$;
CREATE TRIGGER device_deleted AFTER DELETE ON device
	REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION device_counted();
CREATE TRIGGER device_inserted AFTER INSERT ON device
	REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION device_counted();

-- The device is locked before its installations, as by every change of these.
CREATE FUNCTION device_moved_places() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE installation SET place = NULL WHERE device_id = NEW.id AND app_id IS NOT NULL;
	RETURN NULL;
END
$$;
CREATE TRIGGER device_places
	AFTER UPDATE OF timezone, locale, schedule_interval_s, picture_limit_bytes ON device
	FOR EACH ROW WHEN (
		(OLD.timezone, OLD.locale, OLD.schedule_interval_s, OLD.picture_limit_bytes)
		IS DISTINCT FROM
		(NEW.timezone, NEW.locale, NEW.schedule_interval_s, NEW.picture_limit_bytes))
	EXECUTE FUNCTION device_moved_places();

-- Another plan, or another zone, counts at once.
CREATE FUNCTION device_sleep_unset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.is_sleep_set := false;
	RETURN NEW;
END
$$;
CREATE TRIGGER device_sleep_unset
	BEFORE UPDATE OF sleep_enabled, sleep_start_minute, sleep_end_minute, timezone ON device
	FOR EACH ROW WHEN (OLD.is_sleep_set AND (OLD.sleep_enabled, OLD.sleep_start_minute, OLD.sleep_end_minute,
		OLD.timezone) IS DISTINCT FROM (NEW.sleep_enabled, NEW.sleep_start_minute, NEW.sleep_end_minute,
		NEW.timezone))
	EXECUTE FUNCTION device_sleep_unset();

-- Marks devices that have come. The account's row was locked when they were counted: what its webhooks want is known.
CREATE FUNCTION device_wanted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE device
	SET webhook_events = account.webhook_events
	FROM come
	JOIN account ON account.id = come.account_id
	WHERE device.id = come.id AND account.webhook_events <> 0;
	RETURN NULL;
END
$$;
CREATE TRIGGER device_want AFTER INSERT ON device
	REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION device_wanted();

-- State of a sleep plan at a time, and the time of its next change, or when a window of 24 hours begins anew.
CREATE FUNCTION sleep_plan(start_minute int2, end_minute int2, zone text, at timestamptz)
RETURNS TABLE (is_asleep boolean, changes_at timestamptz) LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN start_minute = end_minute THEN true
			WHEN start_minute < end_minute THEN now.minute >= start_minute AND now.minute < end_minute
			ELSE now.minute >= start_minute OR now.minute < end_minute END,
		(
			SELECT min(boundary.at)
			FROM generate_series(-1, 2) AS day
			CROSS JOIN unnest(ARRAY[start_minute, end_minute]) AS minute
			CROSS JOIN LATERAL (
				SELECT (now.day + day + make_interval(mins => minute)) AT TIME ZONE zone AS at
			) AS boundary
			WHERE boundary.at > sleep_plan.at
		)
	FROM (
		SELECT local::date AS day,
			extract(hour FROM local) * 60 + extract(minute FROM local) AS minute
		FROM (SELECT sleep_plan.at AT TIME ZONE zone AS local) AS here
	) AS now
$$;
