-- Changes what an account's owner may change.
-- params: id uuid, change person_update
-- row: person
UPDATE account
SET {change}
WHERE id = :id
RETURNING {person}
