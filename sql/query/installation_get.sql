-- An installation of a device, with everything that its owner sets. No row: the device has none
-- with this ID.
-- params: device_id uuid, id text
-- row: installation, entry_options, settings text, secret_settings bytea?, settings_hash bytea,
--   expires_at timestamptz?, generation int8
SELECT installation.id, installation.app_id IS NULL AS is_pushed, installation.app_id,
	app.name AS app_name, installation.created_at, installation.name, installation.is_enabled,
	installation.display_s,
	CASE WHEN installation.start_minute IS NOT NULL THEN json_build_object(
		'start', json_clock(installation.start_minute),
		'end', json_clock(installation.end_minute))::text END AS hours,
	json_weekdays(installation.weekdays)::text AS weekdays,
	coalesce(installation.id = device.pinned_installation_id, false) AS is_pinned, installation.note,
	installation.color_filter, installation.plays_whole, installation.pins_itself,
	installation.recurrence_rule, installation.recurrence_start,
	installation.settings, installation.secret_settings, installation.settings_hash,
	installation.expires_at, device.generation
FROM installation
JOIN device ON device.id = installation.device_id
LEFT JOIN app ON app.id = installation.app_id
WHERE installation.device_id = :device_id AND installation.id = :id
	AND is_present(installation.expires_at)
