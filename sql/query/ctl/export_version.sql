-- The line of an app's first version that was submitted after another one, in an export.
-- params: app_id uuid, after_sequence int8
-- row: sequence int8, line text
-- effect: read
-- work: bounded
SELECT version.sequence, json_strip_nulls(json_build_object('kind', 'version', 'app', app.slug,
	'name', version.name, 'scriptLanguage', script_language, 'scriptContent', script_content,
	'status', version.status, 'createdAt', json_timestamp(version.created_at),
	'reviewedAt', json_timestamp(reviewed_at), 'rejectionReason', rejection_reason,
	'reviewSummary', review_summary,
	'isDeployed', coalesce(app.deployed_version_id = version.id, false),
	'comments', (
		SELECT json_agg(json_build_object('author', author, 'comment', comment, 'line', line,
			'createdAt', json_timestamp(created_at)) ORDER BY position)
		FROM app_version_comment
		WHERE version_id = version.id)))::text AS line
FROM app_version AS version
JOIN app ON app.id = version.app_id
WHERE version.app_id = :app_id AND version.sequence > :after_sequence
ORDER BY version.sequence
LIMIT 1
