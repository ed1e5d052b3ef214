-- Gives the next device of a series its turn: orders its panel to fetch the image. Leaves out those before it, with a
-- reason each; device_id of no device: it leaves out only. No row: the series has ended, or another worker was
-- faster; a row whose generation is NULL: no device had its turn. The device's line decides which of two workers that
-- saw the same turn takes it: the UPDATE of the other one finds it taken, where a SELECT would see it as it was
-- before.
-- params: series_id uuid, device_id uuid, image_id uuid, left_ids uuid[], reasons text[]
-- row: generation int8?, account_id uuid
-- changes: device_id
WITH series AS MATERIALIZED (
	SELECT running.series_id, running.account_id, running.address, running.session_id
	FROM firmware_series AS running
	WHERE running.series_id = :series_id AND running.state = 'running' AND NOT EXISTS (
			SELECT FROM firmware_series_device AS other
			WHERE other.series_id = running.series_id AND other.state = 'updating')
	FOR NO KEY UPDATE
), image AS MATERIALIZED (
	SELECT firmware_image.id, firmware_image.board, firmware_image.version
	FROM firmware_image
	WHERE firmware_image.id = :image_id
	FOR KEY SHARE
), locked AS MATERIALIZED (
	SELECT device.id, device.board
	FROM device
	WHERE device.id = :device_id AND device.account_id = (SELECT series.account_id FROM series)
	FOR NO KEY UPDATE
), item AS (
	UPDATE firmware_series_device AS item
	SET state = CASE WHEN image.id IS NULL THEN 'left_out' ELSE 'updating' END,
		reason = CASE WHEN image.id IS NULL THEN 'the image or the device was changed meanwhile' END,
		version = coalesce(image.version, item.version)
	FROM series
	LEFT JOIN locked ON true
	LEFT JOIN image ON image.board = locked.board
	WHERE item.series_id = series.series_id AND item.device_id = :device_id AND item.state = 'waiting'
	RETURNING item.account_id, item.device_id, item.state
), passed AS (
	UPDATE firmware_series_device AS item
	SET state = 'left_out', reason = given.reason
	FROM series
	CROSS JOIN unnest(:left_ids::uuid[], :reasons::text[]) AS given (device_id, reason)
	WHERE item.series_id = series.series_id AND item.device_id = given.device_id AND item.state = 'waiting'
	RETURNING item.device_id
), changed AS (
	UPDATE device
	SET order_generation = device.generation + 1,
		ordered_at = present_time(),
		generation = device.generation + 1
	FROM item
	WHERE device.id = item.device_id AND item.state = 'updating'
	RETURNING device.id, device.account_id, device.name, device.generation
), started AS (
	INSERT INTO firmware_update (device_id, image_id, version, former_version)
	SELECT changed.id, image.id, image.version, info.firmware_version
	FROM changed
	CROSS JOIN image
	LEFT JOIN panel_info AS info ON info.device_id = changed.id
	ON CONFLICT (device_id) DO UPDATE
	SET image_id = excluded.image_id, version = excluded.version, former_version = excluded.former_version,
		asked_at = excluded.asked_at, sent_at = NULL, fetched_at = NULL, done_at = NULL
	RETURNING device_id, version
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'device.firmware', changed.name || ' ' || started.version, series.address,
		series.session_id
	FROM started
	JOIN changed ON changed.id = started.device_id
	JOIN account ON account.id = changed.account_id
	CROSS JOIN series
)
SELECT (SELECT changed.generation FROM changed) AS generation, series.account_id
FROM series
WHERE EXISTS (SELECT FROM item) OR EXISTS (SELECT FROM passed)
