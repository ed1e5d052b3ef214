-- Removes a version of an app, unless it is the deployed version; its name stays used. No row: the
-- app has no such version. is_removed is false: the version is deployed.
-- params: app_id uuid, id uuid, actor_id uuid, address text, session_id uuid
-- row: is_removed bool, is_pending bool
-- refuse: app_deployed_is_approved -> version_deployed
WITH chosen AS (
	-- Lock the version before its app, in the order of a review.
	SELECT app_version.id, app_version.app_id, app_version.name, app_version.status
	FROM app_version
	WHERE app_version.id = :id AND app_version.app_id = :app_id
	FOR UPDATE
), removed AS (
	INSERT INTO app_version_removed (app_id, name)
	SELECT chosen.app_id, chosen.name
	FROM chosen
	JOIN app ON app.id = chosen.app_id
	WHERE app.deployed_version_id IS DISTINCT FROM chosen.id
	RETURNING app_id, name
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'version.remove', app.slug || ' ' || removed.name, :address,
		:session_id
	FROM removed
	JOIN app ON app.id = removed.app_id
	JOIN account ON account.id = :actor_id
)
SELECT EXISTS (SELECT FROM removed) AS is_removed, chosen.status = 'PENDING' AS is_pending
FROM chosen
