-- A collection that is fetched. No row: there is none with this ID.
-- params: id uuid, account_id uuid, by_operator bool
-- row: app_archive
SELECT {app_archive}
FROM app_archive
WHERE id = :id AND app_archive_opens(:account_id, :by_operator, account_id, is_for_all)
