-- Reads the script of a version, or its compiled JavaScript, to run it.
-- params: id uuid
-- row: script_language text, script_content text?, checksum text, javascript text?
SELECT app_version.script_language, CASE WHEN app_compiled.javascript IS NULL
		THEN app_version.script_content END AS script_content, app_version.checksum,
	app_compiled.javascript
FROM app_version
LEFT JOIN app_compiled ON app_compiled.version_id = app_version.id
WHERE app_version.id = :id
