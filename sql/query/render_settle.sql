-- Clears the earlier render keys (left_place) of installations whose new render key has a picture,
-- or has reported that there is nothing to show: of so many installations that have an earlier one,
-- in the order of their devices and IDs. after_device and after_id: next_device and next_id of the
-- portion before; all zero and empty at first, and after the last one. Rows that are locked stay
-- until the next time.
-- params: after_device uuid, after_id text, row_limit int8
-- row: settled int8, next_device uuid, next_id text
WITH portion AS MATERIALIZED (
	SELECT device_id, id, place
	FROM installation
	WHERE last_place IS NOT NULL AND (device_id, id) > (:after_device, :after_id)
	ORDER BY device_id, id
	LIMIT :row_limit
), able AS (
	SELECT found.ctid
	FROM portion
	CROSS JOIN LATERAL (
		SELECT installation.ctid
		FROM installation
		WHERE installation.device_id = portion.device_id AND installation.id = portion.id
			AND installation.last_place IS NOT NULL AND EXISTS (
				SELECT
				FROM render
				WHERE render.place = installation.place
					AND (render.picture_generation > 0 OR render.has_nothing))
		FOR NO KEY UPDATE SKIP LOCKED
	) AS found
), settled AS (
	UPDATE installation
	SET last_place = NULL
	WHERE ctid = ANY (ARRAY (SELECT ctid FROM able)) -- which are locked
	RETURNING true
), last AS (
	SELECT device_id, id
	FROM portion
	ORDER BY device_id, id
	OFFSET :row_limit - 1
	LIMIT 1
)
SELECT (SELECT count(*) FROM settled) AS settled,
	coalesce((SELECT device_id FROM last), '00000000-0000-0000-0000-000000000000')
		AS next_device,
	coalesce((SELECT id FROM last), '') AS next_id
