-- Apps are rendered for the moment at which the turn of their entry begins. Those whose manifest recommends an
-- interval of 0 are rendered for each turn of each panel; then the moment tells whose picture it is.
--
-- What was rendered before has no moment, and is rendered again when it is due. Earlier programs may run
-- meanwhile: they leave both columns as they are, and do not read them.

ALTER TABLE render
	ADD COLUMN is_each_turn boolean NOT NULL DEFAULT false,
	ADD COLUMN moment_s int8 NOT NULL DEFAULT 0;
COMMENT ON COLUMN render.is_each_turn IS 'its app is rendered for each turn';
COMMENT ON COLUMN render.moment_s IS
	'the Unix time for which it was rendered well last, at which a turn was to begin; 0: not known';

CREATE OR REPLACE VIEW app_entry AS
SELECT installation.device_id, installation.id, installation.app_id, installation.place,
	app.generation AS app_generation,
	CASE WHEN app.status <> 'disabled' THEN app.deployed_version_id END AS version_id,
	coalesce(own.generation, 0) AS generation,
	coalesce(own.has_nothing, false) AS has_nothing,
	coalesce(own.due_at, '-infinity') AS due_at,
	shown.picture, shown.picture_hash, coalesce(shown.picture_generation, 0) AS picture_generation,
	shown.previous_picture, shown.previous_hash, shown.good_at,
	coalesce(shown.is_whole, false) AS is_whole,
	coalesce(shown.place = installation.place, false) AS is_own,
	coalesce(own.is_each_turn, false) AS is_each_turn, coalesce(own.moment_s, 0) AS moment_s
FROM installation
JOIN app ON app.id = installation.app_id
LEFT JOIN render AS own
	ON own.place = installation.place AND own.version_id = app.deployed_version_id
LEFT JOIN LATERAL (
	SELECT *
	FROM render
	WHERE render.place IN (installation.place, installation.last_place)
		AND render.picture_generation > 0 AND NOT render.has_nothing
	ORDER BY render.place = installation.place DESC,
		render.version_id = app.deployed_version_id DESC, render.good_at DESC
	LIMIT 1
) AS shown ON own.has_nothing IS NOT TRUE;
