-- Entries of rotations, and the pictures that apps draw for them.

-- An entry's ID in /v0, whose programs take what follows the last dash of an ID for the ID.
CREATE FUNCTION entry_id_v0(id text, app_id uuid) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN app_id IS NULL THEN id ELSE replace(id, '-', '') END
$$;

CREATE SEQUENCE render_generation;

CREATE TABLE installation (
	device_id uuid NOT NULL REFERENCES device ON DELETE CASCADE,
	id text NOT NULL,
	app_id uuid,
	position int8 NOT NULL,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	picture stored_picture,
	picture_generation int8 NOT NULL DEFAULT 0,
	moved_to int8,
	rank int8 GENERATED ALWAYS AS (coalesce(moved_to, position)) STORED,
	replaced_at timestamptz,
	picture_hash text,
	is_enabled boolean NOT NULL DEFAULT true,
	display_s display_s,
	start_minute minute_of_day,
	end_minute minute_of_day,
	weekdays weekday_set NOT NULL DEFAULT 127,
	settings app_settings NOT NULL DEFAULT '{}',
	secret_settings bytea,
	settings_hash sha256_hash NOT NULL DEFAULT sha256('\x7b7d'),
	place bytea,
	last_place bytea,
	owner_id uuid,
	replaced_bytes int4,
	name entry_name,
	expires_at timestamptz,
	expires_generation int8,
	CONSTRAINT installation_hours_whole CHECK ( (start_minute IS NULL) = (end_minute IS NULL)),
	CONSTRAINT installation_id_length CHECK (char_length(id) BETWEEN 1 AND 64),
	PRIMARY KEY (device_id, id),
	CONSTRAINT installation_rank_unique UNIQUE (device_id, rank),
	CONSTRAINT installation_app FOREIGN KEY (app_id) REFERENCES app(id) ON DELETE CASCADE
);
ALTER TABLE installation ALTER COLUMN device_id SET (n_distinct=-0.02);
ALTER TABLE installation ALTER COLUMN picture SET STORAGE EXTERNAL;
-- By device: a push looks for expired entries of its device. By time: for the sweep.
CREATE INDEX installation_expiring ON installation (device_id, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX installation_expiry ON installation (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX installation_in_clear ON installation (app_id, device_id, id) WHERE settings <> '{}';
CREATE INDEX installation_of_app ON installation (app_id, owner_id) WHERE app_id IS NOT NULL;
CREATE INDEX installation_of_last_place ON installation (last_place) WHERE last_place IS NOT NULL;
CREATE INDEX installation_of_place ON installation (place, owner_id) WHERE place IS NOT NULL;
-- Installations that have left a place, in an order, so that a sweep begins where the one before has ended.
CREATE INDEX installation_unsettled ON installation (device_id, id) WHERE last_place IS NOT NULL;
COMMENT ON COLUMN installation.app_id IS 'NULL: an entry made by pushing an image';
COMMENT ON COLUMN installation.position IS
	'the device''s generation when the entry was made; never changes';
COMMENT ON COLUMN installation.picture_generation IS
	'the device''s generation when the picture was last replaced';
COMMENT ON COLUMN installation.moved_to IS
	'place in the rotation since that was reordered, above all earlier ones; NULL: position';
COMMENT ON COLUMN installation.rank IS 'place in the rotation';
COMMENT ON COLUMN installation.replaced_at IS 'when the picture was last replaced; NULL: never';
COMMENT ON COLUMN installation.picture_hash IS 'the name of the picture in the pages'' URLs';
COMMENT ON COLUMN installation.display_s IS
	'how long each of its turns is; NULL: the device''s schedule interval';
COMMENT ON COLUMN installation.start_minute IS
	'its hours, in minutes of the device''s local day: to end_minute, if that is not later to the next '
	'day''s; NULL: the whole day';
COMMENT ON COLUMN installation.weekdays IS
	'on which its hours begin: bit 0 is Monday';
COMMENT ON COLUMN installation.settings IS
	'of its app: a JSON object in canonical form, without what is secret';
COMMENT ON COLUMN installation.secret_settings IS 'the secret ones, encrypted; NULL: there are none';
COMMENT ON COLUMN installation.settings_hash IS
	'of all of them together; keyed where some are secret';
COMMENT ON COLUMN installation.place IS
	'what all installations have in common that show the same picture, kept by triggers; NULL: it is '
	'no app''s';
COMMENT ON COLUMN installation.last_place IS
	'the last place before that had a picture, which stays until the new place has one';
COMMENT ON COLUMN installation.owner_id IS
	'the account of its device, kept by a trigger; NULL: it is no app''s';
COMMENT ON COLUMN installation.replaced_bytes IS
	'of the picture that the last push replaced: tells the statement of the push; NULL: none was';
COMMENT ON COLUMN installation.name IS 'what its owner calls it; NULL: as its app, or its ID';
COMMENT ON COLUMN installation.expires_at IS
	'of a pushed entry: it is in no answer from then on, and is removed later; NULL: it stays';
COMMENT ON COLUMN installation.expires_generation IS
	'picture_generation of the push that set expires_at';

CREATE TABLE showing (
	device_id uuid PRIMARY KEY REFERENCES device ON DELETE CASCADE,
	push_generation int8 NOT NULL,
	installation_id text,
	picture stored_picture,
	duration_s int4 NOT NULL,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	displayed_at timestamptz,
	picture_hash text,
	replaced_bytes int4,
	held_generation int8,
	waking_generation int8,
	CONSTRAINT showing_one_source CHECK ((installation_id IS NULL) = (picture IS NOT NULL)),
	CONSTRAINT showing_device_id_installation_id_fkey FOREIGN KEY (device_id, installation_id) REFERENCES
		installation(device_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);
ALTER TABLE showing ALTER COLUMN picture SET STORAGE EXTERNAL;
COMMENT ON TABLE showing IS
	'the newest push of each device that was to be seen at once: a temporary image or an entry';
COMMENT ON COLUMN showing.displayed_at IS
	'when a panel first showed it; its time is counted from then';
COMMENT ON COLUMN showing.replaced_bytes IS 'likewise';
COMMENT ON COLUMN showing.held_generation IS
	'equal to push_generation: the push stays until it is removed or another one comes';
COMMENT ON COLUMN showing.waking_generation IS
	'equal to push_generation: the push is shown although the panel sleeps';

CREATE TABLE render (
	place bytea NOT NULL,
	version_id uuid NOT NULL REFERENCES app_version ON DELETE CASCADE,
	generation int8 NOT NULL DEFAULT 0,
	picture bytea,
	picture_hash text,
	picture_generation int8 NOT NULL DEFAULT 0,
	previous_picture bytea,
	previous_hash text,
	has_nothing boolean NOT NULL DEFAULT false,
	is_whole boolean NOT NULL DEFAULT false,
	engine text NOT NULL DEFAULT '',
	rendered_at timestamptz,
	good_at timestamptz,
	due_at timestamptz NOT NULL DEFAULT '-infinity',
	took_us int8 NOT NULL DEFAULT 0,
	max_age_s int4 NOT NULL DEFAULT 0,
	interval_s int4 NOT NULL DEFAULT 0,
	log text NOT NULL DEFAULT '',
	problem text,
	hosts text NOT NULL DEFAULT '',
	failures int4 NOT NULL DEFAULT 0,
	misses int4 NOT NULL DEFAULT 0,
	paused_until timestamptz,
	claimed_by uuid,
	claimed_until timestamptz,
	made_at timestamptz NOT NULL DEFAULT present_time(),
	is_each_turn boolean NOT NULL DEFAULT false,
	moment_s int8 NOT NULL DEFAULT 0,
	CONSTRAINT render_claimed CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
	CONSTRAINT render_log_size CHECK (octet_length(log) <= 16384),
	CONSTRAINT render_picture_size CHECK (length(picture) BETWEEN 1 AND 460000),
	CONSTRAINT render_problem_size CHECK (octet_length(problem) <= 65536),
	PRIMARY KEY (place, version_id)
) WITH (fillfactor = 70);
ALTER TABLE render ALTER COLUMN picture SET STORAGE EXTERNAL;
ALTER TABLE render ALTER COLUMN previous_picture SET STORAGE EXTERNAL;
CREATE INDEX render_of_engine ON render (engine);
CREATE INDEX render_of_version ON render (version_id);
COMMENT ON TABLE render IS 'what a version of an app made for all installations of one place';
COMMENT ON COLUMN render.generation IS 'of the sequence, new with every render';
COMMENT ON COLUMN render.picture_generation IS 'that with which these bytes came; 0: none ever did';
COMMENT ON COLUMN render.previous_picture IS 'panels may show it still, and pages ask for it';
COMMENT ON COLUMN render.has_nothing IS 'its last answer was that there is nothing to show';
COMMENT ON COLUMN render.is_whole IS 'its animation is shown to the end';
COMMENT ON COLUMN render.rendered_at IS 'tried last';
COMMENT ON COLUMN render.due_at IS 'not to be rendered earlier';
COMMENT ON COLUMN render.problem IS 'of the last render, as JSON; NULL: none';
COMMENT ON COLUMN render.failures IS 'crashes and limits in a row';
COMMENT ON COLUMN render.misses IS 'renders without a result in a row, whoever is to blame';
COMMENT ON COLUMN render.claimed_by IS 'the claim of the worker that renders it now';
COMMENT ON COLUMN render.is_each_turn IS 'its app is rendered for each turn';
COMMENT ON COLUMN render.moment_s IS
	'the Unix time for which it was rendered well last, at which a turn was to begin; 0: not known';

-- Places that installations have left: what was rendered there is removed when nobody needs it.
CREATE TABLE left_place (
	place bytea NOT NULL,
	left_at timestamptz NOT NULL DEFAULT present_time()
);
CREATE INDEX left_place_oldest ON left_place (left_at);
COMMENT ON TABLE left_place IS 'perhaps with others still there; in it more than once, perhaps';

ALTER TABLE device ADD CONSTRAINT device_night_fkey FOREIGN KEY (id, night_installation_id) REFERENCES
	installation(device_id, id) ON DELETE SET NULL (night_installation_id);

ALTER TABLE device ADD CONSTRAINT device_pinned_fkey FOREIGN KEY (id, pinned_installation_id) REFERENCES
	installation(device_id, id) ON DELETE SET NULL (pinned_installation_id);

-- Picture of each installation of an app: the deployed version's. While that has made none yet, it is the newest one of the
-- same place; while there is none of that either, it is the newest one of the place before.
CREATE VIEW app_entry AS
SELECT installation.device_id, installation.id, installation.app_id, installation.place,
	app.generation AS app_generation,
	CASE WHEN app.status <> 'disabled' THEN app.deployed_version_id END AS version_id,
	coalesce(own.generation, 0) AS generation,
	coalesce(own.has_nothing, false) AS has_nothing,
	coalesce(own.due_at, '-infinity') AS due_at,
	shown.picture, shown.picture_hash, coalesce(shown.picture_generation, 0) AS picture_generation,
	shown.previous_picture, shown.previous_hash, shown.good_at,
	coalesce(shown.is_whole, false) AS is_whole,
	coalesce(shown.place = installation.place, false) AS is_own,
	coalesce(own.is_each_turn, false) AS is_each_turn, coalesce(own.moment_s, 0) AS moment_s
FROM installation
JOIN app ON app.id = installation.app_id
LEFT JOIN render AS own
	ON own.place = installation.place AND own.version_id = app.deployed_version_id
LEFT JOIN LATERAL (
	SELECT *
	FROM render
	WHERE render.place IN (installation.place, installation.last_place)
		AND render.picture_generation > 0 AND NOT render.has_nothing
	ORDER BY render.place = installation.place DESC,
		render.version_id = app.deployed_version_id DESC, render.good_at DESC
	LIMIT 1
) AS shown ON own.has_nothing IS NOT TRUE;

CREATE VIEW device_v0 AS
SELECT device.id, device.account_id, device.created_at, device.settings_revision, device.name,
	device.schedule_interval_s, device.brightness, device.auto_dim, device.sleep_enabled,
	coalesce(entry_id_v0(night.id, night.app_id), '') AS night_entry, device.sleep_start_minute,
	device.sleep_end_minute, device.night_brightness, NOT device.dim_enabled AS is_dim_off,
	device.dim_start_minute, device.dim_brightness,
	coalesce(entry_id_v0(pinned.id, pinned.app_id), '') AS pinned_entry,
	CASE WHEN device.connected_at IS NOT NULL THEN device.last_online_at END AS last_seen_at,
	panel_info.firmware_version, panel_info.firmware_type, panel_info.protocol_version,
	coalesce(device.mac, device.told_mac)::text AS mac_text
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id
LEFT JOIN installation AS night ON night.device_id = device.id AND night.id = device.night_installation_id
	AND is_present(night.expires_at)
LEFT JOIN installation AS pinned ON pinned.device_id = device.id AND pinned.id = device.pinned_installation_id
	AND is_present(pinned.expires_at);

CREATE VIEW installation_v0 AS
SELECT installation.device_id, installation.id AS own_id, installation.rank,
	entry_id_v0(installation.id, installation.app_id) AS id, app.slug AS app_slug,
	installation.is_enabled, coalesce(installation.id = device.pinned_installation_id, false) AS is_pinned,
	installation.app_id IS NULL AS is_pushed,
	coalesce(ceil(render.interval_s / 60.0), 0)::int4 AS render_interval_min,
	coalesce(installation.display_s::int4, 0) AS display_s,
	coalesce(extract(epoch FROM CASE WHEN installation.app_id IS NULL
		THEN coalesce(installation.replaced_at, installation.created_at)
		ELSE render.rendered_at END)::int8, 0) AS rendered_s,
	coalesce(render.has_nothing, false) AS is_inactive,
	coalesce(json_clock(installation.start_minute), '') AS start_time,
	coalesce(json_clock(installation.end_minute), '') AS end_time,
	CASE WHEN installation.weekdays = 127 THEN '[]'
		ELSE json_weekdays(installation.weekdays)::text END AS days
FROM installation
JOIN device ON device.id = installation.device_id
LEFT JOIN app ON app.id = installation.app_id
LEFT JOIN render ON render.place = installation.place AND render.version_id = app.deployed_version_id
WHERE is_present(installation.expires_at);

-- Entries of a device without the expired ones. of_all: entry_count of the device.
CREATE FUNCTION entries_now(of_device uuid, of_all int4) RETURNS int4 LANGUAGE sql VOLATILE AS $$
	SELECT of_all - count(*)::int4
	FROM installation
	WHERE device_id = of_device AND expires_at <= present_time()
$$;

-- The ID of the entry of a device that a program names, as it is or as entry_id_v0() gives it; NULL: there is none.
CREATE FUNCTION entry_meant(of_device uuid, told text) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT coalesce((
		SELECT id
		FROM installation
		WHERE device_id = of_device AND id = told AND is_present(expires_at)
	), (
		SELECT id
		FROM installation
		WHERE device_id = of_device AND app_id IS NOT NULL AND is_present(expires_at)
			AND id = regexp_replace(lower(told),
				'^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$',
				'\1-\2-\3-\4-\5')
	))
$$;

CREATE FUNCTION installation_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE device
		SET entry_count = entry_count + 1,
			picture_bytes = picture_bytes + coalesce(length(NEW.picture), 0)
		WHERE id = NEW.device_id;
	ELSE
		-- Also where an entry goes with its app: the panel must learn of it.
		UPDATE device
		SET entry_count = entry_count - 1, generation = generation + 1,
			picture_bytes = greatest(0, picture_bytes - coalesce(length(OLD.picture), 0))
		WHERE id = OLD.device_id;
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER installation_count AFTER INSERT OR DELETE ON installation
	FOR EACH ROW EXECUTE FUNCTION installation_counted();

-- A push that sets no end leaves none of the push before it.
CREATE FUNCTION installation_end_goes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.expires_at := NULL;
	RETURN NEW;
END
$$;
CREATE TRIGGER installation_end_go BEFORE UPDATE OF picture_generation ON installation
	FOR EACH ROW WHEN (NEW.expires_at IS NOT NULL
		AND NEW.expires_generation IS DISTINCT FROM NEW.picture_generation)
	EXECUTE FUNCTION installation_end_goes();

CREATE FUNCTION installation_left() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO left_place (place)
	SELECT place
	FROM unnest(ARRAY[OLD.place, OLD.last_place]) AS place
	WHERE place IS NOT NULL
		AND (TG_OP = 'DELETE'
			OR (place IS DISTINCT FROM NEW.place AND place IS DISTINCT FROM NEW.last_place));
	RETURN NULL;
END
$$;
CREATE TRIGGER installation_changed_place
	AFTER UPDATE OF app_id, settings_hash, display_s, place, last_place ON installation
	FOR EACH ROW WHEN ((OLD.place, OLD.last_place) IS DISTINCT FROM (NEW.place, NEW.last_place))
	EXECUTE FUNCTION installation_left();
CREATE TRIGGER installation_left_place AFTER DELETE ON installation
	FOR EACH ROW WHEN (OLD.place IS NOT NULL) EXECUTE FUNCTION installation_left();

CREATE FUNCTION installation_placed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	new_place bytea;
BEGIN
	SELECT account_id, render_place(NEW.app_id, NEW.settings_hash, timezone, locale,
		coalesce(NEW.display_s, schedule_interval_s), picture_limit_bytes)
	INTO NEW.owner_id, new_place FROM device WHERE id = NEW.device_id;
	IF TG_OP = 'UPDATE' AND OLD.place <> new_place THEN
		IF EXISTS (
			SELECT
			FROM render
			WHERE place = OLD.place AND picture_generation > 0 AND NOT has_nothing)
		THEN
			NEW.last_place := OLD.place;
		END IF;
		NEW.last_place := nullif(NEW.last_place, new_place);
	END IF;
	NEW.place := new_place;
	RETURN NEW;
END
$$;
CREATE TRIGGER installation_place
	BEFORE INSERT OR UPDATE OF app_id, settings_hash, display_s, place ON installation
	FOR EACH ROW WHEN (NEW.app_id IS NOT NULL) EXECUTE FUNCTION installation_placed();

CREATE FUNCTION is_place_of_others(of_place bytea, than_account uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM installation WHERE place = of_place AND owner_id < than_account)
		OR EXISTS (SELECT FROM installation WHERE place = of_place AND owner_id > than_account)
$$;

-- Bytes that are left to the account of a push. NULL if the push replaces as many bytes as it brings: such a push fits
-- whatever the account stores, so nothing is added up.
CREATE FUNCTION push_room(of_account uuid, of_device uuid, of_entry text, is_shown boolean, bytes int8)
RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	more int8 := bytes;
BEGIN
	IF of_entry IS NOT NULL THEN
		more := more - coalesce((
			SELECT length(picture)
			FROM installation
			WHERE device_id = of_device AND id = of_entry), 0);
	END IF;
	IF is_shown THEN
		more := more - coalesce((SELECT length(picture) FROM showing WHERE device_id = of_device), 0);
	END IF;
	RETURN CASE WHEN more > 0 THEN account_bytes_left(of_account) - more END;
END
$$;

-- Bytes of the pushed pictures of a device. VOLATILE: it sees what was stored before the device's row was locked.
CREATE FUNCTION pushed_bytes(of_device uuid) RETURNS int8 LANGUAGE sql VOLATILE AS $$
	SELECT coalesce((SELECT sum(length(picture)) FROM installation WHERE device_id = of_device), 0)
		+ coalesce((SELECT length(picture) FROM showing WHERE device_id = of_device), 0)
$$;

-- An animation is rendered no longer than it is shown, and no longer than a minute.
CREATE FUNCTION render_duration_s(dwell_s int4) RETURNS int4 LANGUAGE sql IMMUTABLE AS $$
	SELECT greatest(1, least(60, dwell_s))
$$;

CREATE FUNCTION render_place(app_id uuid, settings_hash bytea, timezone text, locale text,
	dwell_s int4, picture_limit_bytes int4) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT sha256(uuid_send(app_id) || settings_hash || convert_to(timezone || ' ' || locale || ' '
		|| render_duration_s(dwell_s) || ' ' || picture_limit_bytes, 'UTF8'))
$$;
