-- The account with this e-mail address.
-- params: email text
-- row: account_removed
-- effect: read
-- work: bounded
SELECT id, email
FROM account
WHERE lower(email) = lower(:email)
