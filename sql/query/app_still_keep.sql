-- Stores the still of a leased picture, of a version or of an app (the other is all zero); empty: none could be made.
-- is_kept false: there is another picture meanwhile.
-- params: version_id uuid, app_id uuid, hash text, still bytea
-- row: is_kept bool
WITH rendered AS (
	UPDATE app_picture
	SET still = :still, still_claimed_until = NULL
	WHERE version_id = :version_id AND picture_hash = :hash
	RETURNING true
), own AS (
	UPDATE app_own_picture
	SET still = :still, still_claimed_until = NULL
	WHERE app_id = :app_id AND picture_hash = :hash
	RETURNING true
)
SELECT EXISTS (SELECT FROM rendered) OR EXISTS (SELECT FROM own) AS is_kept
