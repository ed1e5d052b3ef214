-- The key by which instances know their challenges.
-- row: challenge_key bytea
-- effect: read
-- work: bounded
SELECT challenge_key
FROM site
WHERE is_it
