-- A follower may take smaller pictures than its leader: workers make pictures for the limit of each panel. Entries in the form
-- of /v0 show their recurrence.
--
-- No row breaks a rule, as there is one rule less. Older instances may run meanwhile: a follower's panel that they serve gets
-- the leader's pictures as they are, and may be unable to load them.
DROP TRIGGER device_leader_leads ON device;
CREATE OR REPLACE FUNCTION device_leader_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM device WHERE id = NEW.leader_id FOR SHARE;
	IF EXISTS (SELECT FROM device WHERE leader_id = NEW.id)
			OR NOT EXISTS (
				SELECT FROM device WHERE id = NEW.leader_id AND account_id = NEW.account_id AND leader_id IS NULL)
	THEN
		RAISE EXCEPTION 'a leader follows, or a follower leads'
			USING ERRCODE = '23514', CONSTRAINT = 'device_leader_leads';
	END IF;
	RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER device_leader_leads AFTER UPDATE OF leader_id ON device DEFERRABLE INITIALLY IMMEDIATE
	FOR EACH ROW WHEN (NEW.leader_id IS NOT NULL) EXECUTE FUNCTION device_leader_check();

-- The days of a rule within a week or a month as /v0 has them, JSON; NULL: all, or days that have no form there.
CREATE FUNCTION recurrence_pattern_v0(rule text, start_day text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	WITH read AS (
		SELECT substring(rule FROM 'FREQ=([A-Z]+)') AS freq,
			string_to_array(substring(rule FROM ';BYDAY=([A-Z0-9,-]+)'), ',') AS weekdays,
			substring(rule FROM ';BYMONTHDAY=([0-9,-]+)') AS month_days,
			coalesce(nullif(start_day, '')::date, '2025-01-01') AS start
	), day AS (
		SELECT number, code, name
		FROM unnest('{MO,TU,WE,TH,FR,SA,SU}'::text[],
			'{monday,tuesday,wednesday,thursday,friday,saturday,sunday}'::text[]) WITH ORDINALITY AS day (code, name, number)
	)
	SELECT CASE
		WHEN freq = 'WEEKLY' THEN (
			SELECT '{"weekdays":["' || string_agg(name, '","' ORDER BY number) || '"]}'
			FROM day
			WHERE coalesce(code = ANY (weekdays), number = extract(isodow FROM start)))
		WHEN freq IS DISTINCT FROM 'MONTHLY' THEN NULL
		WHEN month_days ~ '^[0-9]+$' THEN '{"day_of_month":' || month_days || '}'
		WHEN cardinality(weekdays) = 1 AND weekdays[1] ~ '^(-1|[1-4])' THEN (
			SELECT '{"day_of_week":"' || CASE left(weekdays[1], -2) WHEN '1' THEN 'first' WHEN '2' THEN 'second'
				WHEN '3' THEN 'third' WHEN '4' THEN 'fourth' ELSE 'last' END || '_' || name || '"}'
			FROM day
			WHERE code = right(weekdays[1], 2))
		WHEN month_days IS NULL AND weekdays IS NULL THEN '{"day_of_month":' || extract(day FROM start) || '}' END
	FROM read
$$;
CREATE OR REPLACE VIEW installation_v0 AS
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
		ELSE json_weekdays(installation.weekdays)::text END AS days,
	installation.color_filter,
	CASE WHEN installation.plays_whole THEN 'true' ELSE 'auto' END AS show_full_animation,
	installation.pins_itself,
	recurs AS use_custom_recurrence,
	coalesce(lower(substring(installation.recurrence_rule FROM 'FREQ=([A-Z]+)')), 'daily') AS recurrence_type,
	CASE WHEN recurs THEN coalesce(substring(installation.recurrence_rule FROM 'INTERVAL=([0-9]+)')::int4, 1) ELSE 0 END
		AS recurrence_interval,
	recurrence_pattern_v0(installation.recurrence_rule, installation.recurrence_start) AS recurrence_pattern,
	installation.recurrence_start::text AS recurrence_start_date,
	coalesce(to_date(substring(installation.recurrence_rule FROM 'UNTIL=([0-9]{8})'), 'YYYYMMDD')::text, '')
		AS recurrence_end_date
FROM installation
CROSS JOIN LATERAL (
	SELECT installation.recurrence_rule <> '' OR installation.recurrence_start <> '' AS recurs
) AS recurring
JOIN device ON device.id = installation.device_id
LEFT JOIN app ON app.id = installation.app_id
LEFT JOIN render ON render.place = installation.place AND render.version_id = app.deployed_version_id
WHERE is_present(installation.expires_at);
