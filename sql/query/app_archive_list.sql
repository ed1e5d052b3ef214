-- Collections that an account may see: its own ones and, for an administrator, those for all; oldest first.
-- params: account_id uuid, by_operator bool
-- row: app_archive_listed
-- list: created_at, id
SELECT {app_archive_listed}
FROM app_archive
WHERE app_archive_opens(:account_id, :by_operator, account_id, is_for_all) AND {after}
{order}
