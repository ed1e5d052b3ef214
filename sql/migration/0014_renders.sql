-- What apps render: the settings that installations have, the pictures that are made of them, and the
-- JavaScript of scripts in TypeScript.

ALTER TABLE device
	ADD COLUMN picture_limit_bytes int4 NOT NULL DEFAULT 460000,
	ADD COLUMN locale text NOT NULL DEFAULT 'en',
	ADD CONSTRAINT device_picture_limit_known CHECK (
		picture_limit_bytes IN (60000, 220000, 460000)),
	ADD CONSTRAINT device_locale_form CHECK (
		locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$');
COMMENT ON COLUMN device.picture_limit_bytes IS 'what the board of its panel takes of a picture';
COMMENT ON COLUMN device.locale IS 'the language of apps, as in BCP 47';

ALTER TABLE installation
	ADD COLUMN settings text NOT NULL DEFAULT '{}',
	ADD COLUMN secret_settings bytea,
	ADD COLUMN settings_hash bytea NOT NULL DEFAULT sha256('{}'),
	ADD COLUMN place bytea,
	ADD COLUMN last_place bytea,
	ADD CONSTRAINT installation_settings_size CHECK (octet_length(settings) BETWEEN 2 AND 200000),
	ADD CONSTRAINT installation_settings_hash_length CHECK (length(settings_hash) = 32);
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

-- An animation is rendered no longer than it is shown, and no longer than a minute.
CREATE FUNCTION render_duration_s(dwell_s int4) RETURNS int4 LANGUAGE sql IMMUTABLE AS $$
	SELECT greatest(1, least(60, dwell_s))
$$;

CREATE FUNCTION render_place(app_id uuid, settings_hash bytea, timezone text, locale text,
	dwell_s int4, picture_limit_bytes int4) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT sha256(uuid_send(app_id) || settings_hash || convert_to(timezone || ' ' || locale || ' '
		|| render_duration_s(dwell_s) || ' ' || picture_limit_bytes, 'UTF8'))
$$;

CREATE FUNCTION installation_placed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	new_place bytea;
BEGIN
	SELECT render_place(NEW.app_id, NEW.settings_hash, timezone, locale,
		coalesce(NEW.display_s, schedule_interval_s), picture_limit_bytes)
	INTO new_place FROM device WHERE id = NEW.device_id;
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
CREATE TRIGGER installation_place BEFORE INSERT OR UPDATE ON installation
	FOR EACH ROW WHEN (NEW.app_id IS NOT NULL) EXECUTE FUNCTION installation_placed();
UPDATE installation SET place = NULL WHERE app_id IS NOT NULL;
CREATE INDEX installation_of_place ON installation (place) WHERE place IS NOT NULL;
CREATE INDEX installation_of_last_place ON installation (last_place) WHERE last_place IS NOT NULL;

-- The device is locked before its installations, as by every change of these.
CREATE FUNCTION device_moved_places() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE installation SET place = NULL WHERE device_id = NEW.id AND app_id IS NOT NULL;
	RETURN NULL;
END
$$;
CREATE TRIGGER device_places AFTER UPDATE ON device
	FOR EACH ROW WHEN (
		(OLD.timezone, OLD.locale, OLD.schedule_interval_s, OLD.picture_limit_bytes)
		IS DISTINCT FROM
		(NEW.timezone, NEW.locale, NEW.schedule_interval_s, NEW.picture_limit_bytes))
	EXECUTE FUNCTION device_moved_places();

-- 0: it is over.
CREATE FUNCTION milliseconds_until(at timestamptz) RETURNS int8 LANGUAGE sql VOLATILE AS $$
	SELECT ceil(extract(epoch FROM greatest(at, now) - now) * 1000)::int8
	FROM clock_timestamp() AS now
$$;

CREATE SEQUENCE render_generation;
CREATE TABLE render (
	place bytea NOT NULL,
	version_id uuid NOT NULL REFERENCES app_version ON DELETE CASCADE,
	generation int8 NOT NULL DEFAULT 0,
	picture bytea,
	picture_hash text GENERATED ALWAYS AS (left(encode(sha256(picture), 'hex'), 32)) STORED,
	picture_generation int8 NOT NULL DEFAULT 0,
	previous_picture bytea,
	previous_hash text
		GENERATED ALWAYS AS (left(encode(sha256(previous_picture), 'hex'), 32)) STORED,
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
	made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (place, version_id),
	CONSTRAINT render_picture_size CHECK (length(picture) BETWEEN 1 AND 460000),
	CONSTRAINT render_log_size CHECK (octet_length(log) <= 16384),
	CONSTRAINT render_problem_size CHECK (octet_length(problem) <= 65536),
	CONSTRAINT render_claimed CHECK ((claimed_by IS NULL) = (claimed_until IS NULL))
) WITH (fillfactor = 70);
ALTER TABLE render
	ALTER COLUMN picture SET STORAGE EXTERNAL,
	ALTER COLUMN previous_picture SET STORAGE EXTERNAL;
CREATE INDEX render_of_version ON render (version_id, rendered_at);
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

-- What each installation of an app shows: what the deployed version made; while that has made nothing
-- yet, the newest picture of the same place, and while there is none, of the place before.
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
	coalesce(shown.place = installation.place, false) AS is_own
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

CREATE TABLE app_compiled (
	version_id uuid PRIMARY KEY REFERENCES app_version ON DELETE CASCADE,
	javascript text,
	problem text,
	engine text NOT NULL DEFAULT '',
	tries int4 NOT NULL DEFAULT 0,
	claimed_until timestamptz,
	compiled_at timestamptz,
	CONSTRAINT app_compiled_once CHECK (
		(compiled_at IS NULL) = (javascript IS NULL AND problem IS NULL)
		AND (javascript IS NULL OR problem IS NULL))
);
COMMENT ON TABLE app_compiled IS 'what esbuild made of versions in TypeScript';
COMMENT ON COLUMN app_compiled.problem IS 'why it does not compile, as JSON';

-- Places that installations have left: what was rendered there is removed when nobody needs it.

CREATE TABLE left_place (
	place bytea NOT NULL,
	left_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX left_place_oldest ON left_place (left_at);
COMMENT ON TABLE left_place IS 'perhaps with others still there; in it more than once, perhaps';

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
CREATE TRIGGER installation_left_place AFTER DELETE ON installation
	FOR EACH ROW WHEN (OLD.place IS NOT NULL) EXECUTE FUNCTION installation_left();
CREATE TRIGGER installation_changed_place AFTER UPDATE ON installation
	FOR EACH ROW WHEN ((OLD.place, OLD.last_place) IS DISTINCT FROM (NEW.place, NEW.last_place))
	EXECUTE FUNCTION installation_left();
