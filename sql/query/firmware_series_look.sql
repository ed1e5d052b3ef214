-- Settles a running series that has something to settle: its panel has the new version, or has not come back with it
-- in time, which stops the series; or no device is left. Else finds the next row_limit devices of a series, which
-- nobody else has locked, in their order. At least one row. changed_id: the account of the settled series. next_id: a
-- device whose turn comes. is_running: some series is running.
-- params: row_limit int4
-- row: is_running bool, changed_id uuid?, series_id uuid?, account_id uuid?, next_id uuid?, board text?,
--   firmware_version text?, last_online_at timestamptz?, has_connected bool, image_id uuid?, image_version text?
WITH series AS MATERIALIZED (
	SELECT running.series_id, running.account_id, item.device_id, item.outcome
	FROM firmware_series AS running
	CROSS JOIN LATERAL (
		SELECT item.device_id, item.position, item.state = 'waiting' AS is_waiting, CASE
			WHEN item.state = 'waiting' THEN 'next'
			WHEN started.device_id IS NULL THEN 'failed'
			ELSE firmware_update_state(started.asked_at, started.sent_at, started.fetched_at, started.done_at)
			END AS outcome
		FROM firmware_series_device AS item
		LEFT JOIN firmware_update AS started ON started.device_id = item.device_id
		WHERE item.series_id = running.series_id AND item.state IN ('updating', 'waiting')
		UNION ALL
		SELECT NULL, 2147483647, true, 'end'
		ORDER BY is_waiting, position
		LIMIT 1
	) AS item
	WHERE running.state = 'running' AND item.outcome NOT IN ('offered', 'fetching')
	ORDER BY running.started_at
	LIMIT 1
	FOR NO KEY UPDATE OF running SKIP LOCKED
), settled AS (
	UPDATE firmware_series_device AS item
	SET state = series.outcome,
		reason = CASE WHEN series.outcome = 'failed' THEN
			'the panel did not report version ' || item.version || ' within 5 minutes' END
	FROM series
	WHERE item.series_id = series.series_id AND item.device_id = series.device_id AND item.state = 'updating'
		AND series.outcome IN ('done', 'failed')
	RETURNING item.account_id, item.device_id, item.state, item.version
), ended AS (
	UPDATE firmware_series AS running
	SET state = CASE WHEN series.outcome = 'end' THEN 'done' ELSE 'stopped' END,
		problem = CASE WHEN series.outcome = 'failed' THEN device.name || ' did not come back with '
			|| coalesce(settled.version, 'its version') || ' within 5 minutes' END,
		ended_at = present_time()
	FROM series
	LEFT JOIN settled ON true
	LEFT JOIN device ON device.id = settled.device_id
	WHERE running.series_id = series.series_id AND series.outcome IN ('end', 'failed')
	RETURNING running.account_id
)
SELECT EXISTS (SELECT FROM firmware_series WHERE state = 'running') AS is_running,
	coalesce((SELECT account_id FROM settled), (SELECT account_id FROM ended)) AS changed_id,
	series.series_id, series.account_id, device.id AS next_id, device.board::text AS board, info.firmware_version,
	device.last_online_at, coalesce(device.connected_at IS NOT NULL, false) AS has_connected, image.id AS image_id,
	image.version AS image_version
FROM (SELECT) AS one
LEFT JOIN series ON true
LEFT JOIN LATERAL (
	SELECT item.device_id, item.position
	FROM firmware_series_device AS item
	WHERE item.series_id = series.series_id AND item.state = 'waiting' AND series.outcome = 'next'
	ORDER BY item.position
	LIMIT :row_limit
) AS turn ON true
LEFT JOIN device ON device.id = turn.device_id
LEFT JOIN panel_info AS info ON info.device_id = device.id
LEFT JOIN LATERAL (
	SELECT firmware_image.id, firmware_image.version
	FROM firmware_image
	WHERE firmware_image.board = device.board
		AND firmware_order(firmware_image.version) > firmware_order(info.firmware_version)
	ORDER BY firmware_order(firmware_image.version) DESC, firmware_image.created_at DESC
	LIMIT 1
) AS image ON true
ORDER BY turn.position
