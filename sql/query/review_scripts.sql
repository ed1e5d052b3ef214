-- The script of a version, and that of the deployed version of its app, if there is one that a reviewer has seen.
-- params: id uuid
-- row: review_scripts
SELECT app_version.script_language, app_version.script_content,
	deployed.name AS deployed_version, deployed.id AS deployed_version_id,
	deployed.script_content AS deployed_content
FROM app_version
JOIN app ON app.id = app_version.app_id
LEFT JOIN app_version AS deployed ON deployed.id = app.deployed_version_id
	AND deployed.review_summary IS DISTINCT FROM own_approval()
WHERE app_version.id = :id
