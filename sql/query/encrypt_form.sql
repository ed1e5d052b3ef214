-- The schema of a version in a language by this engine, if it is stored and not too old; and data
-- to run its script. The script itself is returned only if the schema is not, or with is_run.
-- params: version_id uuid, locale text, engine text, is_run bool
-- row: has_schema bool, schema text?, language text, script text?, javascript text?, checksum text
SELECT kept.version_id IS NOT NULL AS has_schema, kept.schema, version.script_language AS language,
	CASE WHEN kept.version_id IS NULL OR :is_run THEN version.script_content END AS script,
	CASE WHEN kept.version_id IS NULL OR :is_run THEN app_compiled.javascript END AS javascript,
	version.checksum
FROM app_version AS version
LEFT JOIN app_compiled ON app_compiled.version_id = version.id
LEFT JOIN app_schema AS kept ON kept.version_id = version.id AND kept.locale = :locale
	AND kept.engine = :engine
	AND (kept.hosts = '' OR kept.made_at > present_time() - interval '15 minutes')
WHERE version.id = :version_id
