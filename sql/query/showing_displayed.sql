-- Writes when panels first displayed pushes, many at once: a push's time counts from then. Locked
-- rows are not written but returned: so nothing waits, and two instances cannot deadlock. The
-- lateral join finds each row by its key, however many there are.
-- params: device_ids uuid[], push_generations int8[], displayed_at timestamptz[]
-- row: device_id uuid, push_generation int8, displayed_at timestamptz
WITH displayed AS (
	SELECT DISTINCT ON (device_id, push_generation) device_id, push_generation, at
	FROM unnest(:device_ids, :push_generations, :displayed_at)
		AS displayed (device_id, push_generation, at)
	ORDER BY device_id, push_generation, at
), locked AS (
	SELECT displayed.device_id, displayed.push_generation, displayed.at
	FROM displayed
	CROSS JOIN LATERAL (
		SELECT
		FROM showing
		WHERE showing.device_id = displayed.device_id
			AND showing.push_generation = displayed.push_generation
			AND showing.displayed_at IS NULL
		FOR NO KEY UPDATE SKIP LOCKED
	) AS found
), written AS (
	UPDATE showing
	SET displayed_at = locked.at
	FROM locked
	WHERE showing.device_id = locked.device_id
)
SELECT displayed.device_id, displayed.push_generation, displayed.at AS displayed_at
FROM displayed
CROSS JOIN LATERAL (
	SELECT
	FROM showing
	WHERE showing.device_id = displayed.device_id
		AND showing.push_generation = displayed.push_generation
		AND showing.displayed_at IS NULL
) AS found
WHERE NOT EXISTS (
	SELECT
	FROM locked
	WHERE locked.device_id = displayed.device_id
		AND locked.push_generation = displayed.push_generation)
