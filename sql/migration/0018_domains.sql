-- Pushes, and changes of what a panel shows, cost less. PostgreSQL reads each CHECK of a table, each
-- expression of a generated column and each WHEN of a trigger anew for every statement that changes a row,
-- whichever columns it sets: that was three quarters of a change of a setting. A connection reads the CHECK
-- of a domain once, and looks at it only where its column is set.

-- A column that gets a domain without a CHECK leaves its table's file as it is; the CHECKs follow below.
CREATE DOMAIN device_name AS text;
CREATE DOMAIN device_serial AS text;
CREATE DOMAIN device_entry_count AS int4;
CREATE DOMAIN sha256_hash AS bytea;
CREATE DOMAIN percentage AS int2;
CREATE DOMAIN night_brightness AS int2;
CREATE DOMAIN timezone_name AS text;
CREATE DOMAIN schedule_interval_s AS int4;
CREATE DOMAIN minute_of_day AS int2;
CREATE DOMAIN picture_limit_bytes AS int4;
CREATE DOMAIN language_tag AS text;
CREATE DOMAIN stored_picture AS bytea;
CREATE DOMAIN display_s AS int4;
CREATE DOMAIN weekday_set AS int2;
CREATE DOMAIN app_settings AS text;

DROP TRIGGER device_places ON device;
DROP VIEW device_more;
ALTER TABLE device
	DROP CONSTRAINT device_name_length,
	DROP CONSTRAINT device_serial_form,
	DROP CONSTRAINT device_entry_limit,
	DROP CONSTRAINT device_link_key_hash_length,
	DROP CONSTRAINT device_brightness_range,
	DROP CONSTRAINT device_volume_range,
	DROP CONSTRAINT device_night_brightness_range,
	DROP CONSTRAINT device_timezone_known,
	DROP CONSTRAINT device_schedule_interval_range,
	DROP CONSTRAINT device_sleep_start_range,
	DROP CONSTRAINT device_sleep_end_range,
	DROP CONSTRAINT device_picture_limit_known,
	DROP CONSTRAINT device_locale_form,
	ALTER COLUMN name TYPE device_name,
	ALTER COLUMN serial TYPE device_serial,
	ALTER COLUMN entry_count TYPE device_entry_count,
	ALTER COLUMN link_key_hash TYPE sha256_hash,
	ALTER COLUMN brightness TYPE percentage,
	ALTER COLUMN volume TYPE percentage,
	ALTER COLUMN night_brightness TYPE night_brightness,
	ALTER COLUMN timezone TYPE timezone_name,
	ALTER COLUMN schedule_interval_s TYPE schedule_interval_s,
	ALTER COLUMN sleep_start_minute TYPE minute_of_day,
	ALTER COLUMN sleep_end_minute TYPE minute_of_day,
	ALTER COLUMN picture_limit_bytes TYPE picture_limit_bytes,
	ALTER COLUMN locale TYPE language_tag;

-- The same as before: PostgreSQL changes the type of no column that a view has.
CREATE VIEW device_more AS
SELECT device.id AS device_id, device.created_at, device.connected_at, device.serial,
	device.mac::text AS mac_text, device.disabled_at IS NOT NULL AS is_disabled,
	panel_info.device_id IS NULL AS is_untold, panel_info.firmware_version,
	panel_info.firmware_type, panel_info.protocol_version, panel_info.hostname, panel_info.ssid,
	panel_info.wifi_signal, coalesce(panel_info.told_at, device.created_at) AS told_at
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id;

DROP TRIGGER installation_place ON installation;
DROP TRIGGER installation_changed_place ON installation;
ALTER TABLE installation
	ALTER COLUMN picture_hash DROP EXPRESSION,
	DROP CONSTRAINT installation_picture_size,
	DROP CONSTRAINT installation_display_range,
	DROP CONSTRAINT installation_hours_range,
	DROP CONSTRAINT installation_weekdays_range,
	DROP CONSTRAINT installation_settings_size,
	DROP CONSTRAINT installation_settings_hash_length,
	ALTER COLUMN display_s TYPE display_s,
	ALTER COLUMN start_minute TYPE minute_of_day,
	ALTER COLUMN end_minute TYPE minute_of_day,
	ALTER COLUMN weekdays TYPE weekday_set,
	ALTER COLUMN settings TYPE app_settings,
	ALTER COLUMN settings_hash TYPE sha256_hash;
ALTER TABLE installation ALTER COLUMN picture TYPE stored_picture;
ALTER TABLE installation ALTER COLUMN picture SET STORAGE EXTERNAL;

ALTER TABLE showing
	ALTER COLUMN picture_hash DROP EXPRESSION,
	DROP CONSTRAINT showing_picture_size;
ALTER TABLE showing ALTER COLUMN picture TYPE stored_picture;
ALTER TABLE showing ALTER COLUMN picture SET STORAGE EXTERNAL;

ALTER DOMAIN device_name
	ADD CONSTRAINT device_name_length CHECK (char_length(VALUE) BETWEEN 1 AND 25);
ALTER DOMAIN device_serial
	ADD CONSTRAINT device_serial_form CHECK (VALUE ~ '^[A-Za-z0-9_-]{1,32}$');
ALTER DOMAIN device_entry_count
	ADD CONSTRAINT device_entry_limit CHECK (VALUE BETWEEN 0 AND 100);
ALTER DOMAIN sha256_hash
	ADD CONSTRAINT sha256_hash_length CHECK (length(VALUE) = 32);
ALTER DOMAIN percentage
	ADD CONSTRAINT percentage_range CHECK (VALUE BETWEEN 0 AND 100);
ALTER DOMAIN night_brightness
	ADD CONSTRAINT night_brightness_range CHECK (VALUE BETWEEN 1 AND 100);
ALTER DOMAIN timezone_name
	ADD CONSTRAINT timezone_known CHECK (timezone(VALUE, timestamptz 'epoch') IS NOT NULL);
ALTER DOMAIN schedule_interval_s
	ADD CONSTRAINT schedule_interval_range CHECK (VALUE BETWEEN 15 AND 86400);
ALTER DOMAIN minute_of_day
	ADD CONSTRAINT minute_of_day_range CHECK (VALUE BETWEEN 0 AND 1439);
ALTER DOMAIN picture_limit_bytes
	ADD CONSTRAINT picture_limit_known CHECK (VALUE IN (60000, 220000, 460000));
ALTER DOMAIN language_tag
	ADD CONSTRAINT language_tag_form CHECK (VALUE ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$');
ALTER DOMAIN stored_picture
	ADD CONSTRAINT stored_picture_size CHECK (length(VALUE) BETWEEN 1 AND 460000);
ALTER DOMAIN display_s
	ADD CONSTRAINT display_range CHECK (VALUE BETWEEN 5 AND 86400);
ALTER DOMAIN weekday_set
	ADD CONSTRAINT weekday_set_range CHECK (VALUE BETWEEN 1 AND 127);
ALTER DOMAIN app_settings
	ADD CONSTRAINT app_settings_size CHECK (octet_length(VALUE) BETWEEN 2 AND 200000);

-- Statements that set a picture set its name with it.
CREATE FUNCTION picture_name(picture bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT left(encode(sha256(picture), 'hex'), 32)
$$;

-- As before, but looked at only where a statement sets one of the columns.
CREATE TRIGGER device_places
	AFTER UPDATE OF timezone, locale, schedule_interval_s, picture_limit_bytes ON device
	FOR EACH ROW WHEN (
		(OLD.timezone, OLD.locale, OLD.schedule_interval_s, OLD.picture_limit_bytes)
		IS DISTINCT FROM
		(NEW.timezone, NEW.locale, NEW.schedule_interval_s, NEW.picture_limit_bytes))
	EXECUTE FUNCTION device_moved_places();
CREATE TRIGGER installation_place
	BEFORE INSERT OR UPDATE OF app_id, settings_hash, display_s, place ON installation
	FOR EACH ROW WHEN (NEW.app_id IS NOT NULL) EXECUTE FUNCTION installation_placed();
CREATE TRIGGER installation_changed_place
	AFTER UPDATE OF app_id, settings_hash, display_s, place, last_place ON installation
	FOR EACH ROW WHEN ((OLD.place, OLD.last_place) IS DISTINCT FROM (NEW.place, NEW.last_place))
	EXECUTE FUNCTION installation_left();
