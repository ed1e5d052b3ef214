-- Collections that are fetched, oldest first.
-- row: app_archive
SELECT {app_archive}
FROM app_archive
ORDER BY created_at, id
LIMIT 20
