-- Stores the picture that was made of an imported file, or the reason why there is none: then the
-- picture before stays. No row: another file was imported meanwhile.
-- params: app_id uuid, source_hash bytea, picture bytea?, problem text?
-- row: app_id uuid
UPDATE app_own_picture
SET picture = coalesce(:picture, picture),
	picture_hash = coalesce(picture_name(:picture), picture_hash), problem = :problem, source = NULL,
	checked_at = present_time(), claimed_until = NULL
WHERE app_id = :app_id AND source_hash = :source_hash AND checked_at IS NULL
RETURNING app_id
