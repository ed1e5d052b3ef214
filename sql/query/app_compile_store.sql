-- Stores the JavaScript of a version in TypeScript. An earlier one stays.
-- params: version_id uuid, javascript text, engine text
INSERT INTO app_compiled (version_id, javascript, engine, compiled_at)
SELECT app_version.id, :javascript, :engine, present_time()
FROM app_version
WHERE app_version.id = :version_id
ON CONFLICT (version_id) DO UPDATE
SET javascript = excluded.javascript, problem = NULL, engine = excluded.engine,
	compiled_at = excluded.compiled_at, claimed_until = NULL
WHERE app_compiled.javascript IS NULL
