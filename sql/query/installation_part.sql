-- A part of the installations of a device, in the order of its rotation: at most so many after a
-- list position.
-- params: device_id uuid, after_rank int8, row_limit int8
-- row: installation, rank int8
-- effect: read
-- work: bounded
SELECT installation.id, installation.app_id IS NULL AS is_pushed, installation.app_id,
	app.name AS app_name, installation.created_at, installation.rank
FROM installation
LEFT JOIN app ON app.id = installation.app_id
WHERE installation.device_id = :device_id AND installation.rank > :after_rank
	AND is_present(installation.expires_at)
ORDER BY installation.rank
LIMIT :row_limit
