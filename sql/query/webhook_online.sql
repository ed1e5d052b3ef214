-- Makes events for panels that went online or offline, for the webhook whose last check is the
-- longest ago, at least five seconds: for so many devices of its account, which follow those of the
-- check before. The state at the time when the webhook was made is no event. The panels' devices
-- are locked, so that these events are in order with those of pushes and changes; a device that is
-- locked by others is left for the next check. No row: none was due.
-- params: row_limit int8
-- row: told int8
WITH due AS MATERIALIZED (
	SELECT id, account_id, created_at, looked_to_at, looked_to_id
	FROM webhook
	WHERE is_enabled AND events & 1 <> 0 AND looked_at < present_time() - interval '5 seconds'
	ORDER BY looked_at
	LIMIT 1
	FOR NO KEY UPDATE SKIP LOCKED
), part AS MATERIALIZED (
	SELECT due.id AS webhook_id, due.created_at AS made_at, device.id, device.created_at, seen.last_online_at,
		device.connected_at IS NOT NULL AND seen.last_online_at > present_time()
			- greatest(75, least(device.schedule_interval_s, 3600) + 15) * interval '1 second' AS is_online
	FROM due
	CROSS JOIN LATERAL (
		SELECT *
		FROM device
		WHERE account_id = due.account_id AND (created_at, id) > (due.looked_to_at, due.looked_to_id)
		ORDER BY created_at, id
		LIMIT :row_limit
	) AS device
	CROSS JOIN LATERAL (
		SELECT greatest(device.last_online_at, (
			SELECT presence.seen_at FROM presence WHERE presence.id = device.online_by)) AS last_online_at
	) AS seen
), changed AS MATERIALIZED (
	SELECT part.*, known.device_id IS NULL AS is_new
	FROM part
	LEFT JOIN webhook_online AS known ON known.webhook_id = part.webhook_id AND known.device_id = part.id
	WHERE known.is_online IS DISTINCT FROM part.is_online
), held AS MATERIALIZED (
	SELECT changed.*
	FROM changed
	JOIN device ON device.id = changed.id
	ORDER BY changed.id
	FOR NO KEY UPDATE OF device SKIP LOCKED
), kept AS (
	INSERT INTO webhook_online (webhook_id, device_id, is_online)
	SELECT webhook_id, id, is_online
	FROM held
	ON CONFLICT (webhook_id, device_id) DO UPDATE SET is_online = excluded.is_online
), told AS (
	INSERT INTO webhook_event (webhook_id, kind, data)
	SELECT webhook_id, 'online', json_build_object('deviceId', id, 'isOnline', is_online,
		'lastOnline', webhook_time(last_online_at))::text
	FROM held
	WHERE NOT is_new OR (is_online AND created_at > made_at)
	RETURNING number
), noted AS (
	UPDATE webhook
	SET looked_at = present_time(),
		looked_to_at = coalesce((SELECT created_at FROM part ORDER BY created_at, id OFFSET :row_limit - 1 LIMIT 1),
			'-infinity'),
		looked_to_id = coalesce((SELECT id FROM part ORDER BY created_at, id OFFSET :row_limit - 1 LIMIT 1),
			'00000000-0000-0000-0000-000000000000')
	FROM due
	WHERE webhook.id = due.id
	RETURNING true
)
SELECT (SELECT count(*) FROM told) AS told
FROM noted
