-- The installations of a device with what was set of them, in the order of its rotation: all, or the
-- one with this ID. Hours and weekdays are as displayctl takes them.
-- params: device_id uuid, id text?
-- row: installation_options
-- effect: read
-- work: bounded
SELECT installation.id, installation.app_id IS NULL AS is_pushed, installation.app_id,
	app.name AS app_name, installation.created_at, installation.is_enabled,
	installation.display_s,
	json_clock(installation.start_minute) || '-' || json_clock(installation.end_minute) AS hours,
	(
		SELECT string_agg(left(name, 3), ',' ORDER BY place)
		FROM json_array_elements_text(json_weekdays(installation.weekdays))
			WITH ORDINALITY AS day (name, place)
		WHERE installation.weekdays <> 127
	) AS weekdays,
	coalesce(installation.id = device.pinned_installation_id, false) AS is_pinned,
	coalesce(installation.id = device.night_installation_id, false) AS is_night
FROM device
JOIN installation ON installation.device_id = device.id
LEFT JOIN app ON app.id = installation.app_id
WHERE device.id = :device_id AND (:id IS NULL OR installation.id = :id)
	AND is_present(installation.expires_at)
ORDER BY installation.rank
