-- A collection that is fetched. No row: there is none with this ID.
-- params: id uuid
-- row: app_archive
SELECT {app_archive}
FROM app_archive
WHERE id = :id
