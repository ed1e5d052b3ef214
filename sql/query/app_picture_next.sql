-- Claims a deployed version that has no picture of this engine yet, for some seconds. Other callers pass
-- it over meanwhile. One that another engine has made stays for an hour, as instances with different
-- ones would make it in turn. No row: there is none.
-- params: engine text, languages text[], claim_s int8
-- row: version_id uuid, app_id uuid, slug text, account_id uuid?, is_private bool, language text,
--   script text, checksum text, javascript text?, tries int4
-- effect: write
-- work: bounded
WITH next AS (
	SELECT version.id
	FROM app
	JOIN app_version AS version ON version.id = app.deployed_version_id
	LEFT JOIN app_picture ON app_picture.version_id = version.id
	WHERE app.status = 'active' AND version.script_language = ANY (:languages)
		AND (app_picture.version_id IS NULL
			OR (app_picture.made_at IS NULL
				OR (app_picture.engine <> :engine
					AND app_picture.made_at < present_time() - interval '1 hour'))
			AND (app_picture.claimed_until IS NULL
				OR app_picture.claimed_until < present_time()))
	ORDER BY app_picture.tries NULLS FIRST, version.sequence DESC
	LIMIT 1
	FOR NO KEY UPDATE OF version SKIP LOCKED
), claimed AS (
	INSERT INTO app_picture (version_id, engine, tries, claimed_until)
	SELECT id, :engine, 1, present_time() + :claim_s * interval '1 second'
	FROM next
	ON CONFLICT (version_id) DO UPDATE
	SET engine = excluded.engine, tries = CASE WHEN app_picture.engine = excluded.engine
			THEN app_picture.tries + 1 ELSE 1 END, made_at = NULL,
		claimed_until = excluded.claimed_until
	WHERE app_picture.claimed_until IS NULL
		OR app_picture.claimed_until < present_time()
	RETURNING version_id, tries
)
SELECT version.id AS version_id, app.id AS app_id, app.slug, app.account_id,
	app.visibility = 'private' AS is_private,
	version.script_language AS language, version.script_content AS script, version.checksum,
	app_compiled.javascript, claimed.tries
FROM claimed
JOIN app_version AS version ON version.id = claimed.version_id
JOIN app ON app.id = version.app_id
LEFT JOIN app_compiled ON app_compiled.version_id = version.id
