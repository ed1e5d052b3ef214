-- Gives back the lease of a render that has not begun, or whose failure is not the app's fault. If
-- it was the trial of a paused version, another render may become the trial.
-- params: render_key bytea, version_id uuid, lease uuid
-- row: generation int8
WITH given_back AS (
	UPDATE render
	SET claimed_by = NULL, claimed_until = NULL
	WHERE place = :render_key AND version_id = :version_id AND claimed_by = :lease
	RETURNING generation, version_id
), trial AS (
	UPDATE version_crashes
	SET paused_until = present_time(), trial = NULL
	FROM given_back
	WHERE version_crashes.version_id = given_back.version_id AND version_crashes.trial = :lease
)
SELECT generation
FROM given_back
