-- Finds the app that the operator or an administrator names, by ID or slug. No row: there is none.
-- params: app text
-- row: id uuid
-- work: grows with apps
SELECT id
FROM app
WHERE id = app_told(:app) AND NOT is_removed
