-- Notes the use of a session. One that has ended meanwhile stays ended.
-- params: id uuid
-- commit: shared
UPDATE session
SET last_used_at = present_time()
WHERE id = :id
