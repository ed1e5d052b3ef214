-- Makes due what another engine has made, some at a time: each within ten minutes, at a moment of its
-- own. What is paused may try again. Each is found once for an engine.
-- params: engine text, row_limit int8
-- row: place bytea, generation int8
-- effect: write
WITH portion AS (
	SELECT place, version_id
	FROM render
	WHERE (engine < :engine OR engine > :engine) AND rendered_at IS NOT NULL
	LIMIT :row_limit
	FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE render
SET generation = nextval('render_generation'),
	engine = :engine,
	due_at = least(render.due_at, clock_timestamp() + random() * interval '10 minutes'),
	paused_until = NULL
FROM portion
WHERE render.place = portion.place AND render.version_id = portion.version_id
RETURNING render.place, render.generation
