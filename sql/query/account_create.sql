-- A new account.
-- params: id uuid, email text, name text
-- row: id uuid, email text, name text, created_at timestamptz
-- effect: write
-- refuse: account_email_unique -> email_taken
INSERT INTO account (id, email, name)
VALUES ($1, $2, $3)
RETURNING id, email, name, created_at
