-- Makes an approved version the deployed one; deploying the deployed one again changes nothing.
-- No row: the app has no such version. deployed is false: the version is not approved, or is_broken
-- is true: it cannot run, for the reason in fault, or is_unchecked is true: whether it can is not
-- known yet (then it is queued, if needs_check is set).
-- params: app_id uuid, name text, needs_check bool, actor_id uuid, address text?, session_id uuid
-- row: app_version, generation int8, is_broken bool, is_unchecked bool, fault text?
-- refuse: app_public_is_reviewed -> version_not_reviewed
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
), judged AS (
	-- The deployed version stays so, whatever is known of it.
	SELECT chosen.id, chosen.app_id, chosen.script_language,
		is_open AND coalesce(checked.is_bad, false) AS is_broken,
		is_open AND :needs_check AND checked.checked_at IS NULL AS is_unchecked,
		checked.verdict
	FROM chosen
	LEFT JOIN version_check AS checked ON checked.version_id = chosen.id
	CROSS JOIN LATERAL (
		SELECT chosen.status = 'APPROVED' AND NOT EXISTS (
			SELECT FROM app WHERE id = :app_id AND deployed_version_id = chosen.id) AS is_open
	) AS one
), queued AS (
	INSERT INTO version_check (version_id, share, script_language)
	SELECT judged.id, version_check_share(judged.app_id), judged.script_language
	FROM judged
	WHERE judged.is_unchecked
	ON CONFLICT DO NOTHING
), changed AS (
	UPDATE app
	SET deployed_version_id = chosen.id,
		generation = app.generation
			+ CASE WHEN app.deployed_version_id = chosen.id THEN 0 ELSE 1 END
	FROM chosen
	JOIN judged ON judged.id = chosen.id
	WHERE app.id = :app_id AND chosen.status = 'APPROVED' AND NOT app.is_removed
		AND NOT judged.is_broken AND NOT judged.is_unchecked
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
	changed.generation IS NOT NULL AS deployed, coalesce(changed.generation, 0) AS generation,
	judged.is_broken, judged.is_unchecked, judged.verdict::json ->> 'summary' AS fault
FROM chosen
JOIN judged ON judged.id = chosen.id
LEFT JOIN changed ON true
