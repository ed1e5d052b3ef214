-- Ends the pause of the render key of an app's entry whose last render failed, so that it is rendered at once. Its
-- failures still count: the next pause is longer. Only once pause_s have passed since that render: otherwise
-- wait_s is what is left of them. generation is 0 if nothing was changed. A pause of the whole version stays. No row:
-- the device has no such entry.
-- params: device_id uuid, id text, pause_s int4
-- row: render_key bytea?, version_id uuid?, generation int8, wait_s int8
WITH entry AS (
	SELECT installation.place, app.deployed_version_id
	FROM installation
	LEFT JOIN app ON app.id = installation.app_id
	WHERE installation.device_id = :device_id AND installation.id = :id
), failed AS (
	SELECT render.place, render.version_id,
		(milliseconds_until(render.rendered_at + :pause_s * interval '1 second') + 999) / 1000 AS wait_s
	FROM entry
	JOIN render ON render.place = entry.place AND render.version_id = entry.deployed_version_id
	WHERE render.problem IS NOT NULL
	FOR NO KEY UPDATE OF render
), retried AS (
	UPDATE render
	SET generation = nextval('render_generation'), due_at = present_time(), paused_until = NULL
	FROM failed
	WHERE render.place = failed.place AND render.version_id = failed.version_id AND failed.wait_s <= 0
	RETURNING render.generation
)
SELECT entry.place AS render_key, entry.deployed_version_id AS version_id,
	coalesce((SELECT generation FROM retried), 0) AS generation,
	coalesce((SELECT wait_s FROM failed), 0) AS wait_s
FROM entry
