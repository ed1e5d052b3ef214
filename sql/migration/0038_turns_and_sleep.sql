-- Devices count how often they were told to turn on, and may be set asleep or awake until their sleep
-- plan changes next.
--
-- No row changes: nothing was turned or set. Earlier programs may run meanwhile: their panels do not
-- turn on, and sleep by their plan alone.

ALTER TABLE device
	ADD COLUMN turn_count int8 NOT NULL DEFAULT 0,
	ADD COLUMN turned_at timestamptz,
	ADD COLUMN is_sleep_set boolean NOT NULL DEFAULT false,
	ADD COLUMN is_set_asleep boolean NOT NULL DEFAULT false,
	ADD COLUMN sleep_set_until timestamptz;
COMMENT ON COLUMN device.turn_count IS
	'how often it was told to show the next entry of its rotation, the last time at turned_at';
COMMENT ON COLUMN device.is_sleep_set IS
	'until sleep_set_until (NULL: no end) it is asleep if is_set_asleep, else awake, whatever its plan says';

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
