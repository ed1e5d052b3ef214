-- An app by its ID, whoever owns it.
-- params: id uuid
-- row: id uuid, account_id uuid, is_private bool
-- effect: read
SELECT id, account_id, visibility = 'private' AS is_private
FROM app
WHERE id = $1
