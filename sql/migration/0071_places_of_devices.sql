-- Places of devices on earth, which settings of their apps can mean by {"place":"device"}.
--
-- No row has one, so render keys stay. Older instances may run meanwhile: they neither show nor change it, and hand such a
-- setting to its app as it stands, which may fail until they are replaced; their copies and exports of devices have no
-- place.
CREATE DOMAIN device_place AS text CONSTRAINT device_place_length CHECK (octet_length(VALUE) <= 4096);
ALTER TABLE device ADD COLUMN place_json device_place NOT NULL DEFAULT '';
COMMENT ON COLUMN device.place_json IS
	'where it is on earth: JSON, as settings of the type location are; empty: not known';

-- The hash of settings in which the device's place replaces what means it, as device_place_settle() does, so that equal
-- settings have equal hashes. Encrypted ones may mean it or not. Without a place nothing is replaced.
CREATE FUNCTION settled_settings_hash(settings text, secret_settings bytea, settings_hash bytea, place text)
RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE
		WHEN place = '' THEN settings_hash
		WHEN secret_settings IS NOT NULL THEN sha256(settings_hash || convert_to(place, 'UTF8'))
		WHEN strpos(settings, '"{\"place\":\"device\"}"') > 0 THEN sha256(convert_to(
			replace(settings, '"{\"place\":\"device\"}"', to_json(place)::text), 'UTF8'))
		ELSE settings_hash
	END
$$;

-- With the device's place.
CREATE OR REPLACE FUNCTION installation_placed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	new_place bytea;
BEGIN
	SELECT account_id, render_place(NEW.app_id,
		settled_settings_hash(NEW.settings, NEW.secret_settings, NEW.settings_hash, place_json), timezone, locale,
		coalesce(NEW.display_s, schedule_interval_s), picture_limit_bytes, NEW.plays_whole)
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
	AFTER UPDATE OF timezone, locale, schedule_interval_s, picture_limit_bytes, place_json ON device
	FOR EACH ROW WHEN (
		(OLD.timezone, OLD.locale, OLD.schedule_interval_s, OLD.picture_limit_bytes, OLD.place_json)
		IS DISTINCT FROM
		(NEW.timezone, NEW.locale, NEW.schedule_interval_s, NEW.picture_limit_bytes, NEW.place_json))
	EXECUTE FUNCTION device_moved_places();
