-- Types of columns, and functions of values, that the other files use.

-- Functions in SQL name tables of later files.
SET LOCAL check_function_bodies = off;

-- Whether an entry with this end is there. Inlined by the planner.
CREATE FUNCTION is_present(expires_at timestamptz) RETURNS boolean LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
	SELECT expires_at IS NULL OR expires_at > present_time()
$$;

-- Minutes of a day, and days of a week, as the API shows them.
CREATE FUNCTION json_clock(minute int2) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT to_char(make_interval(mins => minute), 'HH24:MI')
$$;

CREATE FUNCTION json_weekdays(weekdays int2) RETURNS json LANGUAGE sql IMMUTABLE AS $$
	SELECT json_agg(name ORDER BY bit)
	FROM unnest(ARRAY['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday',
		'sunday']) WITH ORDINALITY AS day (name, bit)
	WHERE weekdays::int4 >> (bit - 1)::int4 & 1 = 1
$$;

-- The time now, also within a statement or a transaction that has begun earlier. The planner inlines it
-- (nothing of it may be more restrictive than clock_timestamp(), which is VOLATILE): it costs nothing.
CREATE FUNCTION present_time() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
	SELECT clock_timestamp()
$$;

-- Bytes that an account may store. byte_limit: that was set; 0: the default, the larger of 256 MiB and 256 KiB a device.
CREATE FUNCTION bytes_allowed(byte_limit int8, devices int4) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN byte_limit > 0 THEN byte_limit
		ELSE greatest(268435456, 262144 * devices::int8) END
$$;

-- Pause of a version that crashes: a minute from the third crash in a row on, then twice as long each time, up to six
-- hours; NULL: none.
CREATE FUNCTION crash_pause(crashes int4) RETURNS interval LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN crashes >= 3
		THEN least(360, 2 ^ (least(crashes, 20) - 3)) * interval '1 minute' END
$$;

-- Whether an order of that time still is for the panel. One that no panel has taken in time is none: a panel that polls
-- comes every six minutes at least.
CREATE FUNCTION is_order_due(ordered_at timestamptz) RETURNS boolean LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
	SELECT ordered_at > present_time() - interval '6 minutes'
$$;

-- A time as the API shows it; NULL stays NULL.
CREATE FUNCTION json_timestamp(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Milliseconds from now to a time; 0: it is over.
CREATE FUNCTION milliseconds_until(at timestamptz) RETURNS int8 LANGUAGE sql VOLATILE AS $$
	SELECT ceil(extract(epoch FROM greatest(at, now) - now) * 1000)::int8
	FROM present_time() AS now
$$;

-- Name of a picture. Statements that set a picture set its name with it.
CREATE FUNCTION picture_name(picture bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT left(encode(sha256(picture), 'hex'), 32)
$$;

CREATE DOMAIN app_settings AS text
	CONSTRAINT app_settings_size CHECK (octet_length(VALUE) BETWEEN 2 AND 200000);

CREATE DOMAIN device_entry_count AS int4
	CONSTRAINT device_entry_limit CHECK (VALUE BETWEEN 0 AND 100);

CREATE DOMAIN device_name AS text
	CONSTRAINT device_name_length CHECK (char_length(VALUE) BETWEEN 1 AND 25);

CREATE DOMAIN device_serial AS text
	CONSTRAINT device_serial_form CHECK (VALUE ~ '^[A-Za-z0-9_-]{1,32}$');

CREATE DOMAIN display_s AS int4
	CONSTRAINT display_range CHECK (VALUE BETWEEN 5 AND 86400);

-- Name that an owner gives an entry: so three clocks of one app are told apart.
CREATE DOMAIN entry_name AS text CHECK (char_length(VALUE) BETWEEN 1 AND 64);

-- ID that a device had on a tronbyt server.
CREATE DOMAIN former_id AS text CONSTRAINT former_id_form CHECK (VALUE ~ '^[0-9a-f]{8}$');

CREATE DOMAIN language_tag AS text
	CONSTRAINT language_tag_form CHECK (VALUE ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$');

CREATE DOMAIN minute_of_day AS int2
	CONSTRAINT minute_of_day_range CHECK (VALUE BETWEEN 0 AND 1439);

CREATE DOMAIN night_brightness AS int2
	CONSTRAINT night_brightness_range CHECK (VALUE BETWEEN 0 AND 100);

CREATE DOMAIN percentage AS int2
	CONSTRAINT percentage_range CHECK (VALUE BETWEEN 0 AND 100);

CREATE DOMAIN picture_limit_bytes AS int4
	CONSTRAINT picture_limit_known CHECK (VALUE IN (60000, 220000, 460000));

CREATE DOMAIN schedule_interval_s AS int4
	CONSTRAINT schedule_interval_range CHECK (VALUE BETWEEN 15 AND 86400);

CREATE DOMAIN sha256_hash AS bytea
	CONSTRAINT sha256_hash_length CHECK (length(VALUE) = 32);

CREATE DOMAIN stored_picture AS bytea
	CONSTRAINT stored_picture_size CHECK (length(VALUE) BETWEEN 1 AND 460000);

CREATE DOMAIN timezone_name AS text
	CONSTRAINT timezone_known CHECK (timezone(VALUE, timestamptz 'epoch') IS NOT NULL);

CREATE DOMAIN weekday_set AS int2
	CONSTRAINT weekday_set_range CHECK (VALUE BETWEEN 1 AND 127);
