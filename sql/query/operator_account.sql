-- The account that the operator names by its e-mail address.
-- params: email text
-- row: id uuid, is_closed bool
-- effect: read
-- work: bounded
SELECT id, closed_at IS NOT NULL AS is_closed
FROM account
WHERE lower(email) = lower(:email)
