-- A version as reviewers see it, beside the deployed one if a reviewer has seen that. may_review: it awaits review, and
-- this reviewer may do it.
-- params: id uuid, account_id uuid
-- row: review
SELECT app_version.id, app_version.name AS version, app_version.script_language, app.slug,
	app.name AS app_name, app.description, coalesce(account.name, '') AS author,
	deployed.name AS deployed_version, coalesce(app.account_id = :account_id, false) AS is_own,
	app_version.status = 'PENDING' AND (app.account_id IS DISTINCT FROM :account_id OR NOT EXISTS (
		SELECT FROM account AS other
		WHERE other.is_reviewer AND other.closed_at IS NULL AND other.id <> :account_id))
		AS may_review,
	app_version.checksum, app_version.status, app_version.reviewed_at,
	app_version.rejection_reason, app_version.review_summary,
	review_comments(app_version.id) AS review_comments, app_version.created_at,
	version_verdict(app_version.id) AS verdict
FROM app_version
JOIN app ON app.id = app_version.app_id
LEFT JOIN account ON account.id = app.account_id
LEFT JOIN app_version AS deployed ON deployed.id = app.deployed_version_id
	AND deployed.review_summary IS DISTINCT FROM own_approval()
WHERE app_version.id = :id AND NOT app.is_removed
