-- Puts off a version that was leased and could not be compiled because the machine was too slow or
-- too busy, which is no failure of the version: after pauses that grow from 2 s to 5 minutes it is
-- tried again.
-- params: version_id uuid
-- effect: write
-- work: bounded
UPDATE app_compiled
SET tries = greatest(0, tries - 1),
	late = least(late + 1, 1000),
	claimed_until = present_time() + least(300, 2 ^ (1 + least(late, 8))) * interval '1 second'
WHERE version_id = :version_id AND compiled_at IS NULL
