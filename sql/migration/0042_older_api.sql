-- /v0 shows and changes what its programs know of a device and of the entries of its rotation. For that a device may
-- be dimmed from a time on, and its entry for the night may be dark.
--
-- No row changes, and no row breaks a rule: no device is dimmed yet. Earlier programs may run meanwhile: they do not
-- dim, and where a device's night_brightness is 0 they send the entry to a dark panel.

ALTER DOMAIN night_brightness DROP CONSTRAINT night_brightness_range;
ALTER DOMAIN night_brightness ADD CONSTRAINT night_brightness_range CHECK (VALUE BETWEEN 0 AND 100);

ALTER TABLE device
	ADD COLUMN dim_enabled boolean NOT NULL DEFAULT false,
	ADD COLUMN dim_start_minute minute_of_day NOT NULL DEFAULT 1200,
	ADD COLUMN dim_brightness percentage NOT NULL DEFAULT 20;
COMMENT ON COLUMN device.dim_enabled IS
	'from dim_start_minute to sleep_end_minute its brightness is at most dim_brightness';

-- An entry's ID in /v0, whose programs take what follows the last dash of an ID for the ID.
CREATE FUNCTION entry_id_v0(id text, app_id uuid) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN app_id IS NULL THEN id ELSE replace(id, '-', '') END
$$;

-- The ID of the entry of a device that a program names, as it is or as entry_id_v0() gives it; NULL: there is none.
CREATE FUNCTION entry_meant(of_device uuid, told text) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT coalesce((
		SELECT id
		FROM installation
		WHERE device_id = of_device AND id = told AND is_present(expires_at)
	), (
		SELECT id
		FROM installation
		WHERE device_id = of_device AND app_id IS NOT NULL AND is_present(expires_at)
			AND id = regexp_replace(lower(told),
				'^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$',
				'\1-\2-\3-\4-\5')
	))
$$;

CREATE VIEW device_v0 AS
SELECT device.id, device.account_id, device.created_at, device.settings_revision, device.name,
	device.schedule_interval_s, device.brightness, device.auto_dim, device.sleep_enabled,
	coalesce(entry_id_v0(night.id, night.app_id), '') AS night_entry, device.sleep_start_minute,
	device.sleep_end_minute, device.night_brightness, NOT device.dim_enabled AS is_dim_off,
	device.dim_start_minute, device.dim_brightness,
	coalesce(entry_id_v0(pinned.id, pinned.app_id), '') AS pinned_entry,
	CASE WHEN device.connected_at IS NOT NULL THEN device.last_online_at END AS last_seen_at,
	panel_info.firmware_version, panel_info.firmware_type, panel_info.protocol_version,
	coalesce(device.mac, device.told_mac)::text AS mac_text
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id
LEFT JOIN installation AS night ON night.device_id = device.id AND night.id = device.night_installation_id
	AND is_present(night.expires_at)
LEFT JOIN installation AS pinned ON pinned.device_id = device.id AND pinned.id = device.pinned_installation_id
	AND is_present(pinned.expires_at);

CREATE VIEW installation_v0 AS
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
		ELSE json_weekdays(installation.weekdays)::text END AS days
FROM installation
JOIN device ON device.id = installation.device_id
LEFT JOIN app ON app.id = installation.app_id
LEFT JOIN render ON render.place = installation.place AND render.version_id = app.deployed_version_id
WHERE is_present(installation.expires_at);
