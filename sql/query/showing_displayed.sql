-- When panels first showed pushes, many at once: a push's time is counted from then.
-- params: device_ids uuid[], push_generations int8[], displayed_at timestamptz[]
-- row:
-- effect: write
WITH displayed AS (
	SELECT DISTINCT ON (device_id, push_generation) device_id, push_generation, at
	FROM unnest($1, $2, $3) AS displayed (device_id, push_generation, at)
	ORDER BY device_id, push_generation, at
), locked AS (
	SELECT device_id
	FROM showing
	WHERE device_id = ANY ($1)
	ORDER BY device_id
	FOR NO KEY UPDATE
)
UPDATE showing
SET displayed_at = displayed.at
FROM displayed
JOIN locked USING (device_id)
WHERE showing.device_id = displayed.device_id
	AND showing.push_generation = displayed.push_generation
	AND showing.displayed_at IS NULL
