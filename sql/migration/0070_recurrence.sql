-- Days on which an entry is shown, as a recurrence rule of RFC 5545 (section 3.3.10) with a start.
--
-- No row has a rule, so no row breaks the new one. Older instances may run meanwhile: they show such entries each day, and
-- their copies of entries have no rule.
CREATE DOMAIN recurrence_rule AS text CONSTRAINT recurrence_rule_form CHECK (VALUE = ''
	OR VALUE ~ '^FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)(;(INTERVAL|UNTIL|BYDAY|BYMONTHDAY|WKST)=[A-Z0-9,-]+)*$'
		AND length(VALUE) <= 200);
CREATE DOMAIN date_or_none AS text CONSTRAINT date_or_none_form CHECK (VALUE = '' OR VALUE::date::text = VALUE);
ALTER TABLE installation ADD COLUMN recurrence_rule recurrence_rule NOT NULL DEFAULT '';
ALTER TABLE installation ADD COLUMN recurrence_start date_or_none NOT NULL DEFAULT '';
COMMENT ON COLUMN installation.recurrence_rule IS 'days on which it is shown, by RFC 5545; empty: each day';
COMMENT ON COLUMN installation.recurrence_start IS 'first day on which it is shown, and from which its rule counts; empty: none, counted from 2025-01-01';

-- The days of a rule among so many, at most 63, from from_day on: bit 0 is from_day. domain/recurrence.h has the rules that
-- are taken.
CREATE FUNCTION recurrence_days(rule text, start_day text, from_day date, day_count int4) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
	WITH read AS MATERIALIZED (
		SELECT substring(rule FROM 'FREQ=([A-Z]+)') AS freq,
			coalesce(substring(rule FROM 'INTERVAL=([0-9]+)')::int4, 1) AS every,
			coalesce(to_date(substring(rule FROM 'UNTIL=([0-9]{8})'), 'YYYYMMDD'), 'infinity') AS until,
			string_to_array(substring(rule FROM 'BYDAY=([A-Z0-9,-]+)'), ',') AS weekdays,
			string_to_array(substring(rule FROM 'BYMONTHDAY=([0-9,-]+)'), ',')::int4[] AS month_days,
			coalesce(nullif(start_day, '')::date, '2025-01-01') AS start,
			CASE WHEN start_day = '' THEN '-infinity' ELSE start_day::date END AS first_day
	), counted AS MATERIALIZED (
		SELECT *, array_position('{SU,MO,TU,WE,TH,FR,SA}', coalesce(substring(rule FROM 'WKST=([A-Z]{2})'), 'MO')) - 1 AS week_start
		FROM read
	)
	SELECT coalesce(bit_or(1::int8 << bit), 0)
	FROM counted, generate_series(0, day_count - 1) AS bit
	CROSS JOIN LATERAL (SELECT from_day + bit AS day) AS on_day
	CROSS JOIN LATERAL (
		SELECT extract(day FROM day)::int4 AS number,
			extract(day FROM date_trunc('month', day) + interval '1 month - 1 day')::int4 AS month_length,
			('{SU,MO,TU,WE,TH,FR,SA}'::text[])[extract(dow FROM day)::int4 + 1] AS weekday,
			(extract(year FROM day) - extract(year FROM start))::int4 AS years,
			extract(month FROM day)::int4 - extract(month FROM start)::int4 AS months
	) AS of_day
	WHERE day BETWEEN first_day AND until AND CASE freq
		WHEN 'DAILY' THEN (day - start) % every = 0
		WHEN 'WEEKLY' THEN (day - (start - mod(extract(dow FROM start)::int4 - week_start + 7, 7))) / 7 % every = 0
			AND day >= start - mod(extract(dow FROM start)::int4 - week_start + 7, 7)
			AND coalesce(weekday = ANY (weekdays), extract(dow FROM day) = extract(dow FROM start))
		WHEN 'MONTHLY' THEN (years * 12 + months) % every = 0 AND CASE
			WHEN month_days IS NOT NULL THEN number = ANY (month_days) OR number - month_length - 1 = ANY (month_days)
			WHEN weekdays IS NOT NULL THEN weekday = ANY (weekdays) OR (number + 6) / 7 || weekday = ANY (weekdays)
				OR '-' || (month_length - number + 7) / 7 || weekday = ANY (weekdays)
			ELSE number = extract(day FROM start) END
		WHEN 'YEARLY' THEN years % every = 0 AND months = 0 AND number = extract(day FROM start)
		ELSE true END
$$;

-- Whether an entry that is enabled has turns at a local time. Hours belong to the day on which they begin.
CREATE FUNCTION entry_is_on(start_minute int2, end_minute int2, weekdays int2, recurrence_rule text, recurrence_start text,
	at timestamp) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN start_minute IS NULL THEN true
			WHEN start_minute < end_minute THEN minute >= start_minute AND minute < end_minute
			ELSE minute >= start_minute OR minute < end_minute END
		AND weekdays::int4 >> extract(isodow FROM day)::int4 - 1 & 1 = 1
		AND CASE WHEN recurrence_rule = '' AND recurrence_start = '' THEN true
			ELSE recurrence_days(recurrence_rule, recurrence_start, day, 1) = 1 END
	FROM (SELECT extract(hour FROM at)::int4 * 60 + extract(minute FROM at)::int4 AS minute) AS now
	CROSS JOIN LATERAL (
		SELECT at::date - CASE WHEN start_minute >= end_minute AND minute < start_minute THEN 1 ELSE 0 END AS day
	) AS begun
$$;
