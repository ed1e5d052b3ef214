-- The script of the deployed version of an app that an account can install (see app_list). No row: it can install no
-- such app.
-- params: account_id uuid, app_id uuid, slug text
-- row: app_script
SELECT app_version.name AS version, app_version.script_language, app_version.script_content
FROM app
JOIN app_version ON app_version.id = app.deployed_version_id
WHERE app.status = 'active' AND (app.visibility <> 'private' OR app.account_id = :account_id)
	AND app.id = app_meant(:account_id, :app_id, :slug)
