-- The rotation of a device as JSON, its entry for the night, and its newest push if that is a
-- temporary image whose time is not over (see domain/content.h, and display_mode_has_push()).
-- No row: the device is gone.
-- alone_id: the entry that a window of the device's plan shows alone. is_asleep is that of the sleep that was set: see
-- display_level_at().
-- params: device_id uuid, alone_id text?
-- row: rotation, (device), sleep_setting, dim_setting, now_at timestamptz
SELECT coalesce((
	SELECT '[' || string_agg(row_to_json(entry)::text, ',' ORDER BY rank) || ']'
	FROM installation
	LEFT JOIN app ON app.id = installation.app_id
	LEFT JOIN app_entry
		ON app_entry.device_id = installation.device_id AND app_entry.id = installation.id
	LEFT JOIN LATERAL (
		SELECT render.problem::json ->> 'message' AS problem,
			-- The same rule as in note_turn().
			nullif(concat_ws('; ', render.cut, CASE WHEN render.duration_ms > 1000 * turn.ends_s
				THEN format('the animation lasts %s s, and its turn ends after %s s',
					(render.duration_ms + 999) / 1000, turn.ends_s) END), '') AS cut
		FROM render
		CROSS JOIN LATERAL (
			SELECT whole_turn_s(coalesce(installation.display_s, device.schedule_interval_s), installation.plays_whole)
		) AS turn (ends_s)
		WHERE render.place = installation.place
			AND render.version_id = app.deployed_version_id
	) AS made ON true
	CROSS JOIN LATERAL (SELECT coalesce(app_entry.picture_hash, installation.picture_hash) AS hash) AS look
	CROSS JOIN LATERAL (
		SELECT entry_is_on(start_minute, end_minute, weekdays, recurrence_rule, recurrence_start, here.at) AS are_now
	) AS hours
	CROSS JOIN LATERAL (
		SELECT installation.id AS "installationId", installation.name,
			CASE WHEN installation.app_id IS NULL THEN 'push' ELSE 'app' END AS kind,
			installation.app_id AS "appId", app.name AS "appName",
			CASE WHEN app.status = 'disabled'
				THEN 'the app is disabled: the rotation leaves it out until an administrator enables it'
				WHEN app.id IS NOT NULL AND app.deployed_version_id IS NULL
				THEN 'the app has no version yet: the rotation leaves it out'
				ELSE made.problem END AS problem,
			coalesce(app.status = 'disabled', false) AS "isAppDisabled", made.cut,
			look.hash AS picture,
			octet_length(coalesce(app_entry.picture, installation.picture)) AS "pictureBytes",
			json_timestamp(installation.created_at) AS "createdAt",
			json_timestamp(coalesce(app_entry.good_at, installation.replaced_at,
				installation.created_at)) AS "updatedAt",
			installation.is_enabled AS "isEnabled",
			installation.display_s AS "displaySeconds",
			CASE WHEN installation.start_minute IS NOT NULL THEN json_build_object(
				'start', json_clock(installation.start_minute),
				'end', json_clock(installation.end_minute)) END AS hours,
			json_weekdays(installation.weekdays) AS weekdays,
			coalesce(installation.id = device.pinned_installation_id, false) AS "isPinned",
			installation.note, installation.color_filter AS "colorFilter",
			installation.plays_whole AS "playsWhole", installation.pins_itself AS "pinsItself",
			installation.recurrence_rule AS "recurrenceRule", installation.recurrence_start AS "recurrenceStart",
			CASE WHEN installation.id = device.pinned_installation_id
				THEN CASE WHEN look.hash IS NULL THEN 'pinned_empty' ELSE 'pinned' END
				WHEN others.alone_id = installation.id AND look.hash IS NOT NULL THEN 'shown'
				WHEN others.alone_id IS NOT NULL AND others.alone_id <> installation.id AND EXISTS (
					SELECT
					FROM installation AS pinned
					LEFT JOIN app_entry ON app_entry.device_id = pinned.device_id AND app_entry.id = pinned.id
					WHERE pinned.device_id = device.id AND pinned.id = others.alone_id
						AND is_present(pinned.expires_at)
						AND coalesce(app_entry.picture_hash, pinned.picture_hash) IS NOT NULL)
				THEN 'hidden'
				WHEN NOT installation.is_enabled THEN 'off'
				WHEN look.hash IS NULL OR app.status = 'disabled' THEN 'empty'
				WHEN NOT hours.are_now THEN 'waiting'
				WHEN others.pin_themselves AND NOT installation.pins_itself THEN 'hidden'
				ELSE 'shown' END AS standing,
			json_timestamp(installation.expires_at) AS "expiresAt"
	) AS entry
	WHERE installation.device_id = device.id AND is_present(installation.expires_at)
), '[]') AS entries, coalesce((
	SELECT row_to_json(image)::text
	FROM showing
	CROSS JOIN LATERAL (
		SELECT showing.picture_hash AS picture, showing.duration_s AS duration,
			json_timestamp(showing.created_at) AS "createdAt",
			json_timestamp(showing.displayed_at) AS "displayedAt"
	) AS image
	WHERE showing.device_id = device.id AND showing.picture_hash IS NOT NULL
		AND present_time() < CASE WHEN showing.held_generation = showing.push_generation
			THEN 'infinity'
			WHEN showing.created_at < device.turned_at AND device.turned_at <= present_time()
				AND device.pinned_installation_id IS NULL
			THEN '-infinity'
			WHEN showing.displayed_at IS NULL
			THEN showing.created_at
				+ greatest(60, 2 * device.schedule_interval_s, showing.duration_s) * interval '1 second'
			ELSE showing.displayed_at + showing.duration_s * interval '1 second' END
), 'null') AS temporary, CASE WHEN EXISTS (
		SELECT
		FROM installation
		WHERE device_id = device.id AND installation.id = night_installation_id
			AND is_present(expires_at))
	THEN night_installation_id END AS night_installation_id, night_brightness,
	is_sleep_set AND is_set_asleep AS is_asleep, ROW(device.{device}) AS device, device.{sleep_setting},
	device.{dim_setting}, present_time() AS now_at
FROM device
CROSS JOIN LATERAL (SELECT present_time() AT TIME ZONE device.timezone AS at) AS here
CROSS JOIN LATERAL (
	SELECT EXISTS (
		SELECT
		FROM installation
		LEFT JOIN app ON app.id = installation.app_id
		LEFT JOIN app_entry
			ON app_entry.device_id = installation.device_id AND app_entry.id = installation.id
		WHERE installation.device_id = device.id AND installation.pins_itself AND installation.is_enabled
			AND is_present(installation.expires_at) AND app.status IS DISTINCT FROM 'disabled'
			AND entry_is_on(start_minute, end_minute, weekdays, recurrence_rule, recurrence_start, here.at)
			AND coalesce(app_entry.picture_hash, installation.picture_hash) IS NOT NULL
	) AS pin_themselves, coalesce(device.pinned_installation_id, :alone_id) AS alone_id
) AS others
WHERE device.id = :device_id
