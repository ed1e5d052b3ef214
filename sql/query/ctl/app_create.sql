-- A new app of the account with this e-mail address. No row: there is no such account.
-- params: id uuid, account_email text, name text, slug text, description text, visibility text
-- row: app_row
-- effect: write
-- refuse: app_slug_unique -> slug_taken
INSERT INTO app (id, account_id, name, slug, description, visibility)
SELECT :id, account.id, :name, :slug, :description, :visibility
FROM account
WHERE lower(account.email) = lower(:account_email)
RETURNING id, slug, name, description, visibility, status, NULL::text AS version, created_at
