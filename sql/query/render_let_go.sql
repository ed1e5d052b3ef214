-- Gives a claim back, of a render that has not begun or that nobody is to blame for.
-- params: place bytea, version_id uuid, claim uuid
-- row: generation int8
-- effect: write
UPDATE render
SET claimed_by = NULL, claimed_until = NULL
WHERE place = :place AND version_id = :version_id AND claimed_by = :claim
RETURNING generation
