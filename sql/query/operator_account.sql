-- The account that the operator names by its e-mail address, or that has this ID.
-- params: email text, id uuid
-- row: id uuid, is_closed bool
SELECT id, closed_at IS NOT NULL AS is_closed
FROM account
WHERE lower(email) = lower(:email) OR id = :id
