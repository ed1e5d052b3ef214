-- A new app of the account with this e-mail address. No row: there is no such account.
-- params: id uuid, account_email text, name text, slug text, description text, visibility text
-- row: id uuid, slug text, name text, description text, visibility text, status text,
--   version text, created_at timestamptz
-- effect: write
-- refuse: app_slug_unique -> slug_taken
INSERT INTO app (id, account_id, name, slug, description, visibility)
SELECT $1, account.id, $3, $4, $5, $6
FROM account
WHERE lower(account.email) = lower($2)
RETURNING id, slug, name, description, visibility, status, NULL::text AS version, created_at
