-- The entries of some devices of an account that are called otherwise than by their IDs, and whether an app's last
-- render failed, as JSON.
-- params: device_ids uuid[], account_id uuid
-- row: entry_names
-- effect: read
-- work: bounded
SELECT coalesce('[' || string_agg(row_to_json(entry)::text, ',' ORDER BY wanted.number, rank) || ']', '[]') AS entries
FROM unnest(:device_ids) WITH ORDINALITY AS wanted (id, number)
JOIN device ON device.id = wanted.id AND device.account_id = :account_id
CROSS JOIN LATERAL (
	SELECT *
	FROM installation
	WHERE installation.device_id = device.id
		AND (installation.app_id IS NOT NULL OR installation.name IS NOT NULL)
	OFFSET 0 -- one look-up a device, whatever the planner thinks
) AS installation
LEFT JOIN app ON app.id = installation.app_id
LEFT JOIN render ON render.place = installation.place
	AND render.version_id = app.deployed_version_id
CROSS JOIN LATERAL (
	SELECT device.id AS "deviceId", installation.id AS "installationId",
		coalesce(installation.name, app.name) AS name,
		render.problem IS NOT NULL AS "isFailing"
) AS entry
