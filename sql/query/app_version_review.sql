-- Reviews a version that awaits review. An approved version becomes the deployed one, and a new app
-- becomes active. reviewer_id: the reviewer; none: a program on the server. No row: there is no
-- such version. is_reviewed is false: it was reviewed before, or is_own is true: it is the
-- reviewer's own, and there is another reviewer, or is_broken is true: it should be approved, but
-- cannot run, for the reason in fault, or is_unchecked is true: whether it can is not known yet
-- (then it is queued, if needs_check is set). The generation is that of the app, if the version is
-- published; else 0.
-- params: id uuid, reviewer_id uuid, author text, status text, summary text?, reason text?,
--   comments text[], lines int8[], needs_check bool, address text?, session_id uuid
-- row: review_done
WITH chosen AS (
	-- Locked, so that of two reviews at once the second sees the decision of the first.
	SELECT app_version.id, app_version.app_id, app_version.name, app_version.status,
		app_version.script_language, app_version.reviewed_at, app.account_id, app.slug,
		app.account_id = :reviewer_id AND EXISTS (
			SELECT FROM account
			WHERE is_reviewer AND closed_at IS NULL AND id <> :reviewer_id) AS is_own,
		:status = 'APPROVED' AND app_version.status = 'PENDING'
			AND coalesce(checked.is_bad, false) AS is_broken,
		:status = 'APPROVED' AND app_version.status = 'PENDING' AND :needs_check
			AND checked.checked_at IS NULL AS is_unchecked,
		checked.verdict
	FROM app_version
	JOIN app ON app.id = app_version.app_id
	LEFT JOIN version_check AS checked ON checked.version_id = app_version.id
	WHERE app_version.id = :id AND NOT app.is_removed
	FOR UPDATE OF app_version
), reviewed AS (
	UPDATE app_version
	SET status = :status,
		reviewed_at = present_time(),
		review_summary = :summary,
		rejection_reason = :reason
	FROM chosen
	WHERE app_version.id = chosen.id AND app_version.status = 'PENDING'
		AND chosen.is_own IS NOT TRUE AND NOT chosen.is_broken AND NOT chosen.is_unchecked
	RETURNING app_version.id, app_version.app_id, app_version.status, app_version.reviewed_at
), queued AS (
	INSERT INTO version_check (version_id, share, script_language)
	SELECT chosen.id, version_check_share(chosen.app_id), chosen.script_language
	FROM chosen
	WHERE chosen.is_unchecked
	ON CONFLICT DO NOTHING
), commented AS (
	INSERT INTO app_version_comment (version_id, position, author, comment, line)
	SELECT reviewed.id, said.position, :author, said.comment, nullif(said.line, 0)
	FROM reviewed, unnest(:comments, :lines) WITH ORDINALITY AS said (comment, line, position)
), published AS (
	UPDATE app
	SET deployed_version_id = reviewed.id,
		generation = app.generation + 1,
		status = CASE app.status WHEN 'disabled' THEN 'disabled' ELSE 'active' END
	FROM reviewed
	WHERE app.id = reviewed.app_id AND reviewed.status = 'APPROVED' AND NOT app.is_removed
	RETURNING app.generation
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), CASE :status
			WHEN 'APPROVED' THEN 'version.approve'
			WHEN 'REJECTED' THEN 'version.reject'
			ELSE 'version.return'
		END, chosen.slug || ' ' || chosen.name, :address, :session_id
	FROM reviewed
	JOIN chosen ON chosen.id = reviewed.id
	LEFT JOIN account ON account.id = :reviewer_id
)
SELECT chosen.id, chosen.app_id, chosen.account_id, chosen.slug, chosen.name AS version,
	coalesce(reviewed.status, chosen.status) AS status, reviewed.id IS NOT NULL AS is_reviewed,
	coalesce(chosen.is_own, false) AS is_own, chosen.is_broken, chosen.is_unchecked,
	chosen.script_language, chosen.verdict::json ->> 'summary' AS fault,
	coalesce(reviewed.reviewed_at, chosen.reviewed_at) AS reviewed_at,
	coalesce(published.generation, 0) AS generation
FROM chosen
LEFT JOIN reviewed ON true
LEFT JOIN published ON true
