-- Lists the versions of an app as its author's pages show them, newest first. is_large: they have
-- more than 500 remarks, or remarks of more than 200,000 bytes. Then the remarks are left out, and
-- the list is a long one, however few versions it has. At most 501 remarks are read to find that out.
-- params: app_id uuid
-- row: app_version, verdict text, is_large bool, sequence int8
-- list: app_version.sequence desc
{list: WITH size AS (
	SELECT count(*) > 500 OR coalesce(sum(bytes), 0) > 200000 AS is_large
	FROM (
		SELECT octet_length(comment) AS bytes
		FROM (
			SELECT id FROM app_version WHERE app_id = :app_id ORDER BY sequence DESC LIMIT 101
		) AS listed
		JOIN app_version_comment ON version_id = listed.id
		LIMIT 501
	) AS remark
)}
SELECT app_version.id, app_version.name AS version, app_version.script_language,
	app_version.checksum, app_version.status, app_version.reviewed_at,
	app_version.rejection_reason, app_version.review_summary,
	{list: CASE WHEN size.is_large THEN '[]' ELSE}
		review_comments(app_version.id) {list: END} AS review_comments,
	app_version.created_at,
	app.deployed_version_id IS NOT DISTINCT FROM app_version.id AS deployed,
	version_verdict(app_version.id) AS verdict,
	{list: size.is_large}{part: false AS is_large}, app_version.sequence
FROM app_version
JOIN app ON app.id = app_version.app_id
{list: CROSS JOIN size}
WHERE app_version.app_id = :app_id AND {after}
{order}
