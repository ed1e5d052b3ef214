-- Changes the description and the visibility of an app. No row: it is gone.
-- params: id uuid, change app_update
-- row: own_app
-- changes: id
-- refuse: app_slug_public_unique -> slug_taken, app_public_is_reviewed -> version_not_reviewed
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
	changed.created_at,
	(SELECT app_collection.name FROM app_collection WHERE app_collection.id = changed.collection_id)
		AS collection,
	changed.broken_reason
FROM changed
LEFT JOIN app_version ON app_version.id = changed.deployed_version_id
