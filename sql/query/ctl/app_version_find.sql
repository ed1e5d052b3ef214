-- The version of this name of an app (by ID or slug).
-- params: app text, version text
-- row: id uuid
-- effect: read
-- work: grows with apps
SELECT app_version.id
FROM app_version
JOIN app ON app.id = app_version.app_id
WHERE app.id = app_told(:app) AND app_version.name = :version
