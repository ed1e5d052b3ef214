-- Marks an app that has left its collection: it stays where it is installed. No row: it is
-- gone.
-- params: id uuid, account_id uuid
-- row: slug text
-- changes: id
UPDATE app
SET broken_reason = 'It has left its collection.', generation = generation + 1
WHERE id = :id AND account_id = :account_id AND NOT is_removed
RETURNING slug
