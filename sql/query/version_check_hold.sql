-- Holds the lease of a version that is not checked yet for so long from now; for 0, returns it.
-- params: version_id uuid, lease_ms int8
UPDATE version_check
SET claimed_until = present_time() + :lease_ms * interval '1 millisecond'
WHERE version_id = :version_id AND checked_at IS NULL
