-- Colour filters of devices, of their nights and dimming, and of entries.
--
-- No row has one, so no row breaks the new rule. Older instances may run meanwhile: they send pictures without filters, and
-- their copies of entries have none.
CREATE DOMAIN color_filter AS text
	CONSTRAINT color_filter_known CHECK (VALUE IN ('inherit', 'none', 'dimmed', 'redshift', 'warm', 'sunset', 'sepia',
		'vintage', 'dusk', 'cool', 'bw', 'ice', 'moonlight', 'neon', 'pastel'));
CREATE DOMAIN own_color_filter AS color_filter
	CONSTRAINT own_color_filter_known CHECK (VALUE <> 'inherit');
ALTER TABLE device ADD COLUMN color_filter own_color_filter NOT NULL DEFAULT 'none';
ALTER TABLE device ADD COLUMN night_color_filter color_filter NOT NULL DEFAULT 'inherit';
ALTER TABLE device ADD COLUMN dim_color_filter color_filter NOT NULL DEFAULT 'inherit';
COMMENT ON COLUMN device.color_filter IS 'colours of its pictures';
COMMENT ON COLUMN device.night_color_filter IS 'colours of its pictures while it sleeps; inherit: as when it is awake';
COMMENT ON COLUMN device.dim_color_filter IS 'colours of its pictures while it is dimmed; inherit: color_filter';
ALTER TABLE installation ADD COLUMN color_filter color_filter NOT NULL DEFAULT 'inherit';
COMMENT ON COLUMN installation.color_filter IS 'colours of its pictures; inherit: those of the device';

-- With the filter.
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
	installation.color_filter
FROM installation
JOIN device ON device.id = installation.device_id
LEFT JOIN app ON app.id = installation.app_id
LEFT JOIN render ON render.place = installation.place AND render.version_id = app.deployed_version_id
WHERE is_present(installation.expires_at);
