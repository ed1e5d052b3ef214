-- An app by its ID, of any account; none that is being removed.
-- params: id uuid
-- row: app
SELECT id, account_id, slug, visibility = 'private' AS is_private
FROM app
WHERE id = :id AND NOT is_removed
