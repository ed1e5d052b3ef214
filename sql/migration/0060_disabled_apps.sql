-- Entries of an app that is disabled, or has no deployed version, have nothing to show: rotations leave them out until
-- there is a version to render. Their last picture stayed before, for ever.
--
-- No row changes; pictures are kept, and shown again when the app is enabled. Older instances may run meanwhile: they
-- read the same columns.

CREATE OR REPLACE VIEW app_entry AS
SELECT installation.device_id, installation.id, installation.app_id, installation.place,
	app.generation AS app_generation,
	CASE WHEN app.status <> 'disabled' THEN app.deployed_version_id END AS version_id,
	coalesce(own.generation, 0) AS generation,
	coalesce(own.has_nothing, false) OR app.status = 'disabled' OR app.deployed_version_id IS NULL
		AS has_nothing,
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
) AS shown ON own.has_nothing IS NOT TRUE AND app.status <> 'disabled' AND app.deployed_version_id IS NOT NULL;
