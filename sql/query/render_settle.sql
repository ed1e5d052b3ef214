-- Lets installations forget the places before, some at a time, where the new ones have something to
-- show, or have said that there is nothing. is_left: there may be more.
-- params: row_limit int8
-- row: settled int8, is_left bool
-- effect: write
-- work: bounded
WITH portion AS (
	SELECT installation.device_id, installation.id
	FROM installation
	WHERE installation.last_place IS NOT NULL AND EXISTS (
		SELECT
		FROM render
		WHERE render.place = installation.place
			AND (render.picture_generation > 0 OR render.has_nothing))
	LIMIT :row_limit
	FOR NO KEY UPDATE SKIP LOCKED
), settled AS (
	UPDATE installation
	SET last_place = NULL
	FROM portion
	WHERE installation.device_id = portion.device_id AND installation.id = portion.id
	RETURNING true
)
SELECT count(*) AS settled, count(*) >= :row_limit AS is_left
FROM settled
