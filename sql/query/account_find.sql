-- The account with this e-mail address.
-- params: email text
-- row: id uuid, email text
-- effect: read
SELECT id, email
FROM account
WHERE lower(email) = lower($1)
