-- An app by its slug, of any account; none that is being removed.
-- params: slug text
-- row: app
-- effect: read
-- work: bounded
SELECT id, account_id, slug, visibility = 'private' AS is_private
FROM app
WHERE slug = :slug AND NOT is_removed
