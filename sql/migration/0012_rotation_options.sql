-- What owners set of the entries of a rotation: whether, when and for how long they are shown; one
-- that is pinned, and one for the night.

ALTER TABLE installation
	ADD COLUMN is_enabled boolean NOT NULL DEFAULT true,
	ADD COLUMN display_s int4,
	ADD COLUMN start_minute int2,
	ADD COLUMN end_minute int2,
	ADD COLUMN weekdays int2 NOT NULL DEFAULT 127,
	ADD CONSTRAINT installation_display_range CHECK (display_s BETWEEN 5 AND 86400),
	ADD CONSTRAINT installation_hours_range CHECK (
		start_minute BETWEEN 0 AND 1439 AND end_minute BETWEEN 0 AND 1439),
	ADD CONSTRAINT installation_hours_whole CHECK (
		(start_minute IS NULL) = (end_minute IS NULL)),
	ADD CONSTRAINT installation_weekdays_range CHECK (weekdays BETWEEN 1 AND 127);
COMMENT ON COLUMN installation.display_s IS
	'how long each of its turns is; NULL: the device''s schedule interval';
COMMENT ON COLUMN installation.start_minute IS
	'its hours, in minutes of the device''s local day: to end_minute, if that is not later to the next '
	'day''s; NULL: the whole day';
COMMENT ON COLUMN installation.weekdays IS
	'on which its hours begin: bit 0 is Monday';

ALTER TABLE device
	ADD COLUMN pinned_installation_id text,
	ADD COLUMN night_installation_id text,
	ADD COLUMN night_brightness int2 NOT NULL DEFAULT 10,
	ADD CONSTRAINT device_night_brightness_range CHECK (night_brightness BETWEEN 1 AND 100),
	ADD CONSTRAINT device_pinned_fkey FOREIGN KEY (id, pinned_installation_id)
		REFERENCES installation (device_id, id) ON DELETE SET NULL (pinned_installation_id),
	ADD CONSTRAINT device_night_fkey FOREIGN KEY (id, night_installation_id)
		REFERENCES installation (device_id, id) ON DELETE SET NULL (night_installation_id);
COMMENT ON COLUMN device.pinned_installation_id IS 'the entry that is shown alone; NULL: none';
COMMENT ON COLUMN device.night_installation_id IS
	'the entry that is shown alone in the sleep window; NULL: the panel is dark then';

-- As the pages show them.
CREATE FUNCTION json_clock(minute int2) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT to_char(make_interval(mins => minute), 'HH24:MI')
$$;
CREATE FUNCTION json_weekdays(weekdays int2) RETURNS json LANGUAGE sql IMMUTABLE AS $$
	SELECT json_agg(name ORDER BY bit)
	FROM unnest(ARRAY['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday',
		'sunday']) WITH ORDINALITY AS day (name, bit)
	WHERE weekdays::int4 >> (bit - 1)::int4 & 1 = 1
$$;
