-- The app that a slug means to an account (see app_named), of any account; none that is being removed.
-- params: account_id uuid, slug text
-- row: app
SELECT id, account_id, slug, visibility = 'private' AS is_private
FROM app
WHERE id = app_named(:account_id, :slug)
