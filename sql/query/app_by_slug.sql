-- An app by its slug, whoever owns it.
-- params: slug text
-- row: id uuid, account_id uuid, is_private bool
-- effect: read
SELECT id, account_id, visibility = 'private' AS is_private
FROM app
WHERE slug = $1
