-- The hash of an account's password, by its e-mail address.
-- params: email text
-- row: id uuid, password_hash text?
-- effect: read
SELECT id, password_hash
FROM account
WHERE lower(email) = lower(:email)
