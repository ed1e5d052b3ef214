-- Changes what an app says of itself, and who sees it. No row: it is gone.
-- params: id uuid, change app_update
-- row: own_app
-- effect: write
-- work: bounded
WITH changed AS (
	UPDATE app
	SET {change}
	WHERE id = :id
	RETURNING *
)
SELECT changed.id, changed.slug, changed.name, changed.description, changed.visibility,
	changed.status, app_version.name AS version,
	(SELECT pending.name FROM app_version AS pending
		WHERE pending.app_id = changed.id AND pending.status = 'PENDING') AS pending_version,
	changed.created_at
FROM changed
LEFT JOIN app_version ON app_version.id = changed.deployed_version_id
