-- Leases a picture of the catalogue that has no still. hash: the picture's. No row: each has one, or is leased.
-- params: lease_s int8
-- row: version_id uuid?, app_id uuid?, account_id uuid?, hash text, picture bytea
WITH rendered AS (
	UPDATE app_picture
	SET still_claimed_until = present_time() + :lease_s * interval '1 second'
	FROM (
		SELECT version_id
		FROM app_picture
		WHERE picture IS NOT NULL AND still IS NULL
			AND coalesce(still_claimed_until, '-infinity') < present_time()
		ORDER BY version_id
		LIMIT 1
		FOR NO KEY UPDATE SKIP LOCKED
	) AS next
	WHERE app_picture.version_id = next.version_id
	RETURNING app_picture.version_id, picture_hash AS hash, picture
), own AS (
	UPDATE app_own_picture
	SET still_claimed_until = present_time() + :lease_s * interval '1 second'
	FROM (
		SELECT app_id
		FROM app_own_picture
		WHERE picture IS NOT NULL AND still IS NULL AND NOT EXISTS (SELECT FROM rendered)
			AND coalesce(still_claimed_until, '-infinity') < present_time()
		ORDER BY app_id
		LIMIT 1
		FOR NO KEY UPDATE SKIP LOCKED
	) AS next
	WHERE app_own_picture.app_id = next.app_id
	RETURNING app_own_picture.app_id, picture_hash AS hash, picture
)
SELECT rendered.version_id, NULL::uuid AS app_id, app.account_id, rendered.hash, rendered.picture
FROM rendered
JOIN app_version ON app_version.id = rendered.version_id
JOIN app ON app.id = app_version.app_id
UNION ALL
SELECT NULL, own.app_id, app.account_id, own.hash, own.picture
FROM own
JOIN app ON app.id = own.app_id
