-- An app by its ID, of any account.
-- params: id uuid
-- row: app
-- effect: read
SELECT id, account_id, slug, visibility = 'private' AS is_private
FROM app
WHERE id = :id
