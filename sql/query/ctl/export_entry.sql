-- The line of a device's first entry behind another one in its rotation, in an export; its secret
-- settings as they are sealed.
-- params: device_id uuid, after_rank int8
-- row: rank int8, id text, line text, sealed bytea?
-- effect: read
-- work: bounded
SELECT entry.rank, entry.id, json_strip_nulls(json_build_object('kind', 'entry',
	'device', device_id, 'id', entry.id, 'createdAt', json_timestamp(entry.created_at),
	'picture', translate(encode(picture, 'base64'), E'\n', ''),
	'replacedAt', json_timestamp(replaced_at), 'expiresAt', json_timestamp(expires_at), 'app', app.slug,
	'appId', app.id, 'appCollection', app_collection.name,
	'settings', CASE WHEN app_id IS NOT NULL THEN settings::json END, 'isEnabled', is_enabled,
	'displaySeconds', display_s, 'name', entry.name, 'hoursStart', json_clock(start_minute),
	'hoursEnd', json_clock(end_minute), 'weekdays', weekdays,
	'isPinned', coalesce(device.pinned_installation_id = entry.id, false),
	'isNight', coalesce(device.night_installation_id = entry.id, false)))::text AS line,
	secret_settings AS sealed
FROM installation AS entry
JOIN device ON device.id = entry.device_id
LEFT JOIN app ON app.id = entry.app_id
LEFT JOIN app_collection ON app_collection.id = app.collection_id
WHERE entry.device_id = :device_id AND entry.rank > :after_rank AND is_present(entry.expires_at)
ORDER BY entry.rank
LIMIT 1
