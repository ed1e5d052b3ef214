-- Gives back a leased picture that was not tried: it does not count as an attempt. No row: another
-- file was imported meanwhile.
-- params: app_id uuid, source_hash bytea, wait_s int8
-- row: app_id uuid
UPDATE app_own_picture
SET tries = tries - 1, claimed_until = present_time() + :wait_s * interval '1 second'
WHERE app_id = :app_id AND source_hash = :source_hash AND checked_at IS NULL AND tries > 0
RETURNING app_id
