-- The account that the operator names by its e-mail address.
-- params: email text
-- row: id uuid
-- effect: read
-- work: bounded
SELECT id
FROM account
WHERE lower(email) = lower(:email)
