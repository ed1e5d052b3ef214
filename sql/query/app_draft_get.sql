-- The draft of an app. No row: none was saved yet.
-- params: app_id uuid
-- row: app_draft
SELECT {app_draft}
FROM app_draft
WHERE app_id = :app_id
