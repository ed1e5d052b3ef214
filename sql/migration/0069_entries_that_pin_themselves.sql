-- Entries that pin themselves while they have a picture.
--
-- No row is one, so no row breaks the new rule. Older instances may run meanwhile: they show such entries in turn with
-- the others, and their copies of entries do not pin themselves.
ALTER TABLE installation ADD COLUMN pins_itself boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN installation.pins_itself IS 'while it is enabled, in its hours and has a picture, others like it alone have turns with it';
CREATE INDEX installation_pins_itself ON installation (device_id) WHERE pins_itself;

-- With pins_itself.
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
	installation.pins_itself
FROM installation
JOIN device ON device.id = installation.device_id
LEFT JOIN app ON app.id = installation.app_id
LEFT JOIN render ON render.place = installation.place AND render.version_id = app.deployed_version_id
WHERE is_present(installation.expires_at);
