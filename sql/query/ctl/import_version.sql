-- The next version of an app of an export, with what reviewers said of it. Who imports one that was approved
-- elsewhere approves it here.
-- params: id uuid, app_id uuid, checksum text, line text
-- row: id uuid
-- effect: write
-- work: bounded
-- refuse: app_version_name_unique -> version_name_used, app_version_one_pending -> review_pending,
--   app_version_limit -> too_many_versions, app_deployed_is_approved -> version_not_approved,
--   app_version_reviewed -> wrong_review, app_version_rejected -> wrong_review
-- refuse: 22 -> not_storable, 23 -> not_storable
WITH line AS (
	SELECT *
	FROM jsonb_to_record(:line::jsonb)
		AS line (name text, "scriptLanguage" text, "scriptContent" text, status text,
			"createdAt" timestamptz, "reviewedAt" timestamptz, "rejectionReason" text,
			"reviewSummary" text, "isDeployed" boolean, comments jsonb)
), fresh AS (
	INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status,
		created_at, reviewed_at, rejection_reason, review_summary)
	SELECT :id, :app_id, name, "scriptLanguage", "scriptContent", :checksum, status,
		least("createdAt", present_time()),
		CASE WHEN "reviewedAt" IS NOT NULL THEN least("reviewedAt", present_time()) END,
		"rejectionReason", "reviewSummary"
	FROM line
	RETURNING id, app_id
), commented AS (
	INSERT INTO app_version_comment (version_id, position, author, comment, line, created_at)
	SELECT fresh.id, remark.position, remark.said ->> 'author', remark.said ->> 'comment',
		(remark.said ->> 'line')::int4,
		least((remark.said ->> 'createdAt')::timestamptz, present_time())
	FROM fresh, line,
		jsonb_array_elements(line.comments) WITH ORDINALITY AS remark (said, position)
), audited AS (
	INSERT INTO audit_entry (actor, action, target)
	SELECT 'displayctl', 'version.approve', app.slug || ' ' || line.name
	FROM line, fresh
	JOIN app ON app.id = fresh.app_id
	WHERE line.status = 'APPROVED'
)
UPDATE app
SET is_submitted = true,
	generation = app.generation + 1,
	deployed_version_id = CASE WHEN "isDeployed" THEN fresh.id ELSE deployed_version_id END,
	status = CASE
		WHEN app.status = 'disabled' THEN app.status
		WHEN "isDeployed" OR deployed_version_id IS NOT NULL THEN 'active'
		ELSE 'pending'
	END
FROM fresh, line
WHERE app.id = fresh.app_id
RETURNING app.id
