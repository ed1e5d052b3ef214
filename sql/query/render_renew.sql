-- Renews the lease of a render that takes longer. No row: it had run out, and another worker has it.
-- params: render_key bytea, version_id uuid, lease uuid, lease_ms int8
-- row: generation int8
UPDATE render
SET claimed_until = present_time() + :lease_ms * interval '1 millisecond'
WHERE place = :render_key AND version_id = :version_id AND claimed_by = :lease
RETURNING generation
