-- Sizes of panels: 64x32, or 128x64, for which apps are rendered in other pictures.
--
-- All devices have the size that they had, so render keys stay. Older instances may run meanwhile: they render for
-- 64x32, and send pictures in the size in which they are stored; panels show them once those instances are replaced.
CREATE DOMAIN panel_size AS text CONSTRAINT panel_size_known CHECK (VALUE IN ('64x32', '128x64'));
ALTER TABLE device ADD COLUMN size panel_size NOT NULL DEFAULT '64x32';
COMMENT ON COLUMN device.size IS 'pixels of its panel';

-- Render key for a panel of that size. Keys for 64x32 stay as they are.
CREATE FUNCTION render_place(app_id uuid, settings_hash bytea, timezone text, locale text,
	dwell_s int4, picture_limit_bytes int4, plays_whole boolean, size text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE size WHEN '64x32' THEN place ELSE sha256(place || convert_to(size, 'UTF8')) END
	FROM render_place(app_id, settings_hash, timezone, locale, dwell_s, picture_limit_bytes, plays_whole) AS place
$$;

-- With the size.
CREATE OR REPLACE FUNCTION installation_placed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	new_place bytea;
BEGIN
	SELECT account_id, render_place(NEW.app_id,
		settled_settings_hash(NEW.settings, NEW.secret_settings, NEW.settings_hash, place_json), timezone, locale,
		coalesce(NEW.display_s, schedule_interval_s), picture_limit_bytes, NEW.plays_whole, size)
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
DROP TRIGGER device_places ON device;
CREATE TRIGGER device_places
	AFTER UPDATE OF timezone, locale, schedule_interval_s, picture_limit_bytes, place_json, size ON device
	FOR EACH ROW WHEN (
		(OLD.timezone, OLD.locale, OLD.schedule_interval_s, OLD.picture_limit_bytes, OLD.place_json, OLD.size)
		IS DISTINCT FROM
		(NEW.timezone, NEW.locale, NEW.schedule_interval_s, NEW.picture_limit_bytes, NEW.place_json, NEW.size))
	EXECUTE FUNCTION device_moved_places();
