-- Leases a picture that was imported with an app and is not decoded yet. A picture whose decoding
-- has failed five times is not tried again: each time the worker has died, or could not store the
-- result.
-- params: lease_s int8
-- row: app_id uuid, slug text, account_id uuid?, source bytea, source_hash bytea
WITH next AS (
	SELECT app_id
	FROM app_own_picture
	WHERE checked_at IS NULL AND tries < 5
		AND coalesce(claimed_until, '-infinity') < present_time()
	ORDER BY app_id
	LIMIT 1
	FOR NO KEY UPDATE SKIP LOCKED
), leased AS (
	UPDATE app_own_picture
	SET tries = tries + 1, claimed_until = present_time() + :lease_s * interval '1 second'
	FROM next
	WHERE app_own_picture.app_id = next.app_id
	RETURNING app_own_picture.app_id, source, source_hash
)
SELECT leased.app_id, app.slug, app.account_id, leased.source, leased.source_hash
FROM leased
JOIN app ON app.id = leased.app_id
