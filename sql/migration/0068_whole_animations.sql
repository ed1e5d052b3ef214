-- Entries whose animations are shown to the end.
--
-- No row has one, so pictures and their places stay. Older instances may run meanwhile: they show such an entry for its
-- time, render at most a minute of it, and their copies of it do not have the setting.
ALTER TABLE installation ADD COLUMN plays_whole boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN installation.plays_whole IS 'its animation is shown to the end, at most two minutes';

CREATE FUNCTION render_duration_s(dwell_s int4, plays_whole boolean) RETURNS int4 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN plays_whole THEN 120 ELSE render_duration_s(dwell_s) END
$$;

CREATE FUNCTION render_place(app_id uuid, settings_hash bytea, timezone text, locale text,
	dwell_s int4, picture_limit_bytes int4, plays_whole boolean) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT sha256(uuid_send(app_id) || settings_hash || convert_to(timezone || ' ' || locale || ' '
		|| render_duration_s(dwell_s, plays_whole) || ' ' || picture_limit_bytes, 'UTF8'))
$$;

-- With plays_whole.
CREATE OR REPLACE FUNCTION installation_placed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	new_place bytea;
BEGIN
	SELECT account_id, render_place(NEW.app_id, NEW.settings_hash, timezone, locale,
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
DROP TRIGGER installation_place ON installation;
CREATE TRIGGER installation_place
	BEFORE INSERT OR UPDATE OF app_id, settings_hash, display_s, plays_whole, place ON installation
	FOR EACH ROW WHEN (NEW.app_id IS NOT NULL) EXECUTE FUNCTION installation_placed();
DROP TRIGGER installation_changed_place ON installation;
CREATE TRIGGER installation_changed_place
	AFTER UPDATE OF app_id, settings_hash, display_s, plays_whole, place, last_place ON installation
	FOR EACH ROW WHEN ((OLD.place, OLD.last_place) IS DISTINCT FROM (NEW.place, NEW.last_place))
	EXECUTE FUNCTION installation_left();
DROP FUNCTION render_place(uuid, bytea, text, text, int4, int4);

-- Also of what older programs call it.
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
	CASE WHEN installation.plays_whole THEN 'true' ELSE 'auto' END AS show_full_animation
FROM installation
JOIN device ON device.id = installation.device_id
LEFT JOIN app ON app.id = installation.app_id
LEFT JOIN render ON render.place = installation.place AND render.version_id = app.deployed_version_id
WHERE is_present(installation.expires_at);
