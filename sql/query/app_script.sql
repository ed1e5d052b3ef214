-- The script of a version of an app.
-- params: app_id uuid, id uuid
-- row: app_script
SELECT name AS version, script_language, script_content
FROM app_version
WHERE app_id = :app_id AND id = :id
