-- Makes renders of another engine due, some at a time: each within ten minutes, at a moment of its
-- own. Paused renders and their versions may try again. Each render is found once for an engine.
-- params: engine text, row_limit int8
-- row: render_key bytea, generation int8
WITH portion AS (
	SELECT ctid, version_id
	FROM render
	WHERE ((engine > '' AND engine < :engine) OR engine > :engine) AND rendered_at IS NOT NULL
	LIMIT :row_limit
	FOR NO KEY UPDATE SKIP LOCKED
), paused AS (
	-- Lock in order of version, since other workers do the same.
	SELECT version_id
	FROM version_crashes
	WHERE crashes > 0 AND version_id = ANY (ARRAY (SELECT version_id FROM portion))
	ORDER BY version_id
	FOR NO KEY UPDATE
), freed AS (
	UPDATE version_crashes
	SET crashes = 0, account_id = NULL, paused_until = NULL, trial = NULL
	FROM paused
	WHERE version_crashes.version_id = paused.version_id
)
UPDATE render
SET generation = nextval('render_generation'),
	engine = :engine,
	due_at = least(render.due_at, present_time() + random() * interval '10 minutes'),
	paused_until = NULL
WHERE ctid = ANY (ARRAY (SELECT ctid FROM portion)) -- which are locked
RETURNING render.place AS render_key, render.generation
