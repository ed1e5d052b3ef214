-- Disables an app, or gives it back the state that follows from its versions. No row: it is gone.
-- params: id uuid, is_disabled bool, actor_id uuid, address text, session_id uuid
-- row: own_app, account_id uuid?, generation int8
-- refuse: app_owner -> app_without_owner
WITH chosen AS (
	SELECT id, status
	FROM app
	WHERE id = :id AND NOT is_removed
	FOR NO KEY UPDATE
), changed AS (
	UPDATE app
	SET generation = app.generation + 1,
		status = CASE
			WHEN :is_disabled THEN 'disabled'
			WHEN app.deployed_version_id IS NOT NULL THEN 'active'
			WHEN app.is_submitted THEN 'pending'
			ELSE 'draft'
		END
	FROM chosen
	WHERE app.id = chosen.id
	RETURNING app.*
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'),
		CASE WHEN :is_disabled THEN 'app.disable' ELSE 'app.enable' END, changed.slug, :address,
		:session_id
	FROM changed
	JOIN chosen ON chosen.status <> changed.status
	LEFT JOIN account ON account.id = :actor_id
)
SELECT changed.id, changed.slug, changed.name, changed.description, changed.visibility,
	changed.status, app_version.name AS version,
	(SELECT pending.name FROM app_version AS pending
		WHERE pending.app_id = changed.id AND pending.status = 'PENDING') AS pending_version,
	changed.created_at,
	(SELECT app_collection.name FROM app_collection WHERE app_collection.id = changed.collection_id)
		AS collection,
	changed.broken_reason, changed.account_id, changed.generation
FROM changed
LEFT JOIN app_version ON app_version.id = changed.deployed_version_id
