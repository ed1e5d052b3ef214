-- The key by which instances recognize their challenges.
-- row: challenge_key bytea
SELECT challenge_key
FROM site
WHERE is_it
