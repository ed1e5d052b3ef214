-- Keeps the picture of a version that was leased. picture NULL: it has none, and will have none with
-- this engine. No row: the version is gone.
-- params: version_id uuid, picture bytea?
-- row: version_id uuid
UPDATE app_picture
SET picture = :picture, made_at = present_time(), claimed_until = NULL
WHERE version_id = :version_id
RETURNING version_id
