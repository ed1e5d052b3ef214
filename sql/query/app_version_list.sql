-- The versions of an app, newest first, with their reviews; at most 101, one more than a short list
-- has.
-- Where their remarks have more than 200,000 bytes these are left out: then it is a long list, however few
-- versions it has.
-- params: app_id uuid
-- row: app_version, is_large bool
-- effect: read
WITH size AS (
	SELECT coalesce(sum(octet_length(comment)), 0) > 200000 AS is_large
	FROM (
		SELECT id FROM app_version WHERE app_id = :app_id ORDER BY sequence DESC LIMIT 101
	) AS listed
	JOIN app_version_comment ON version_id = listed.id
)
SELECT app_version.id, app_version.name AS version, app_version.script_language,
	app_version.checksum, app_version.status, app_version.reviewed_at,
	app_version.rejection_reason, app_version.review_summary,
	CASE WHEN size.is_large THEN '[]' ELSE review_comments(app_version.id) END AS review_comments,
	app_version.created_at,
	app.deployed_version_id IS NOT DISTINCT FROM app_version.id AS deployed,
	size.is_large
FROM app_version
JOIN app ON app.id = app_version.app_id
CROSS JOIN size
WHERE app_version.app_id = :app_id
ORDER BY app_version.sequence DESC
LIMIT 101
