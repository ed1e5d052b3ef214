-- A new account.
-- params: id uuid, email text, name text
-- row: account_row
-- effect: write
-- work: bounded
-- refuse: account_email_unique -> email_taken
INSERT INTO account (id, email, name)
VALUES (:id, :email, :name)
RETURNING {account_row}
