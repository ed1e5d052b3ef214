-- The code of a version, to run it: its script, or the compiled JavaScript alone if that is stored.
-- No row: the version is gone.
-- params: id uuid
-- row: script text?, javascript text?
SELECT CASE WHEN app_compiled.javascript IS NULL THEN app_version.script_content END AS script,
	app_compiled.javascript
FROM app_version
LEFT JOIN app_compiled ON app_compiled.version_id = app_version.id
WHERE app_version.id = :id
