-- The version of an app that awaits review, if there is one.
-- params: app_id uuid
-- row: name text
SELECT name
FROM app_version
WHERE app_id = :app_id AND status = 'PENDING'
