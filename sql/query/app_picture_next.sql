-- Leases a deployed version that has no picture of this engine yet, for some seconds, and for twice
-- as long at each further try, up to an hour, among so many apps in the order of their IDs. Other
-- callers skip it meanwhile. A picture of another engine stays for an hour, since instances with
-- different engines would make it in turn. after_id: next_id of the previous portion, all zero at
-- first; next_id: all zero after the last app, and after_id if a version was leased, since there
-- may be others. version_id NULL: there is none.
-- params: after_id uuid, row_limit int8, engine text, languages text[], lease_s int8
-- row: next_id uuid, version_id uuid?, app_id uuid?, slug text?, account_id uuid?, is_private bool,
--   language text?, script text?, checksum text?, javascript text?, tries int4
WITH portion AS MATERIALIZED (
	SELECT id, status, deployed_version_id
	FROM app
	WHERE id > :after_id
	ORDER BY id
	LIMIT :row_limit
), next AS (
	SELECT version.id
	FROM portion
	JOIN app_version AS version ON version.id = portion.deployed_version_id
	LEFT JOIN app_picture ON app_picture.version_id = version.id
	WHERE portion.status = 'active' AND version.script_language = ANY (:languages)
		AND (app_picture.version_id IS NULL
			OR (app_picture.made_at IS NULL
				OR (app_picture.engine <> :engine
					AND app_picture.made_at < present_time() - interval '1 hour'))
			AND (app_picture.claimed_until IS NULL
				OR app_picture.claimed_until < present_time()))
	ORDER BY app_picture.tries NULLS FIRST, version.sequence DESC
	LIMIT 1
	FOR NO KEY UPDATE OF version SKIP LOCKED
), leased AS (
	INSERT INTO app_picture (version_id, engine, tries, claimed_until)
	SELECT id, :engine, 1, present_time() + :lease_s * interval '1 second'
	FROM next
	ON CONFLICT (version_id) DO UPDATE
	SET engine = excluded.engine, tries = CASE WHEN app_picture.engine = excluded.engine
			THEN app_picture.tries + 1 ELSE 1 END, made_at = NULL,
		claimed_until = present_time() + :lease_s
			* CASE WHEN app_picture.engine = excluded.engine
				THEN 2 ^ least(app_picture.tries, 6) ELSE 1 END * interval '1 second'
	WHERE app_picture.claimed_until IS NULL
		OR app_picture.claimed_until < present_time()
	RETURNING version_id, tries
)
SELECT CASE WHEN leased.version_id IS NOT NULL THEN :after_id
		ELSE coalesce((SELECT id FROM portion ORDER BY id OFFSET :row_limit - 1 LIMIT 1),
			'00000000-0000-0000-0000-000000000000') END AS next_id,
	leased.version_id, app.id AS app_id, app.slug, app.account_id,
	coalesce(app.visibility = 'private', false) AS is_private,
	version.script_language AS language,
	CASE WHEN app_compiled.javascript IS NULL THEN version.script_content END AS script,
	version.checksum, app_compiled.javascript, coalesce(leased.tries, 0) AS tries
FROM (SELECT) AS one
LEFT JOIN leased ON true
LEFT JOIN app_version AS version ON version.id = leased.version_id
LEFT JOIN app ON app.id = version.app_id
LEFT JOIN app_compiled ON app_compiled.version_id = version.id
