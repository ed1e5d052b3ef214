-- Reviews a version that awaits review. An approved version becomes the deployed one, and a new app
-- becomes active. No row: there is no such version. is_reviewed is false: it was reviewed before.
-- params: app text, version text, status text, summary text?, reason text?, author text,
--   comments text[], lines int8[]
-- row: review_row
-- effect: write
WITH chosen AS (
	-- Locked, so that of two reviews at once the second sees the decision of the first.
	SELECT app_version.id, app_version.name, app_version.status, app_version.reviewed_at
	FROM app_version
	JOIN app ON app.id = app_version.app_id
	WHERE (app.id::text = lower(:app) OR app.slug = :app) AND app_version.name = :version
	FOR UPDATE OF app_version
), reviewed AS (
	UPDATE app_version
	SET status = :status,
		reviewed_at = clock_timestamp(),
		review_summary = :summary,
		rejection_reason = :reason
	FROM chosen
	WHERE app_version.id = chosen.id AND app_version.status = 'PENDING'
	RETURNING app_version.id, app_version.app_id, app_version.status, app_version.reviewed_at
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
	WHERE app.id = reviewed.app_id AND reviewed.status = 'APPROVED'
	RETURNING pg_notify('displayd_hint', 'app:' || app.id || ':' || app.generation)
)
SELECT chosen.id, chosen.name AS version, coalesce(reviewed.status, chosen.status) AS status,
	reviewed.id IS NOT NULL AS is_reviewed,
	coalesce(reviewed.reviewed_at, chosen.reviewed_at) AS reviewed_at
FROM chosen
LEFT JOIN reviewed ON true
