-- Stores the JavaScript of a version in TypeScript, or why it does not compile. An earlier result
-- stays. slug and account_id: app and owner whose pages show it. No row: there was an earlier
-- result, or the version is gone.
-- params: version_id uuid, javascript text?, problem text?, engine text
-- row: slug text, account_id uuid?
-- effect: write
-- work: bounded
WITH stored AS (
	INSERT INTO app_compiled (version_id, javascript, problem, engine, compiled_at)
	SELECT app_version.id, :javascript, :problem, :engine, present_time()
	FROM app_version
	WHERE app_version.id = :version_id
	ON CONFLICT (version_id) DO UPDATE
	SET javascript = excluded.javascript, problem = excluded.problem, engine = excluded.engine,
		compiled_at = excluded.compiled_at, claimed_until = NULL
	WHERE app_compiled.compiled_at IS NULL
	RETURNING version_id
)
SELECT app.slug, app.account_id
FROM stored
JOIN app_version ON app_version.id = stored.version_id
JOIN app ON app.id = app_version.app_id
