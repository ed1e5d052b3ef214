-- Makes an approved version the deployed one; deploying the deployed one again changes nothing.
-- No row: the app has no such version. deployed is false: the version is not approved.
-- params: app_id uuid, name text, actor_id uuid, address text?, session_id uuid
-- row: app_version, generation int8
-- effect: write
-- work: bounded
WITH chosen AS (
	-- Its owner may be removing it now. As in a removal, the version is locked before its app.
	SELECT *
	FROM app_version
	WHERE app_id = :app_id AND name = :name
	FOR KEY SHARE
), before AS (
	SELECT slug, generation
	FROM app
	WHERE id = :app_id
), changed AS (
	UPDATE app
	SET deployed_version_id = chosen.id,
		generation = app.generation
			+ CASE WHEN app.deployed_version_id = chosen.id THEN 0 ELSE 1 END
	FROM chosen
	WHERE app.id = :app_id AND chosen.status = 'APPROVED' AND NOT app.is_removed
	RETURNING app.generation
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), 'app.deploy', before.slug || ' ' || :name,
		:address, :session_id
	FROM changed
	JOIN before ON before.generation <> changed.generation
	LEFT JOIN account ON account.id = :actor_id
)
SELECT chosen.id, chosen.name AS version, chosen.script_language, chosen.checksum, chosen.status,
	chosen.reviewed_at, chosen.rejection_reason, chosen.review_summary,
	review_comments(chosen.id) AS review_comments, chosen.created_at,
	changed.generation IS NOT NULL AS deployed, coalesce(changed.generation, 0) AS generation
FROM chosen
LEFT JOIN changed ON true
