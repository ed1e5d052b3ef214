-- The entries of some devices of an account whose names differ from their IDs, and whether an app's
-- last render failed, as JSON.
-- params: device_ids uuid[], account_id uuid
-- row: entry_names
SELECT coalesce('[' || string_agg(row_to_json(entry)::text, ',' ORDER BY wanted.number, installation.rank) || ']',
	'[]') AS entries
FROM unnest(:device_ids) WITH ORDINALITY AS wanted (id, number)
CROSS JOIN LATERAL (
	SELECT id
	FROM device
	WHERE id = wanted.id AND account_id = :account_id
	OFFSET 0 -- one look-up each, here and below, whatever the planner thinks
) AS device
CROSS JOIN LATERAL (
	SELECT *
	FROM installation
	WHERE installation.device_id = device.id
		AND (installation.app_id IS NOT NULL OR installation.name IS NOT NULL)
		AND is_present(installation.expires_at)
	OFFSET 0
) AS installation
LEFT JOIN LATERAL (
	SELECT name, deployed_version_id
	FROM app
	WHERE id = installation.app_id
	OFFSET 0
) AS app ON true
CROSS JOIN LATERAL (
	SELECT device.id AS "deviceId", installation.id AS "installationId",
		coalesce(installation.name, app.name) AS name,
		EXISTS (
			SELECT
			FROM render
			WHERE render.place = installation.place AND render.version_id = app.deployed_version_id
				AND render.problem IS NOT NULL
			OFFSET 0) AS "isFailing"
) AS entry
