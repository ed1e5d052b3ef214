-- Leases the fetch of releases that was asked for, for lease_ms. One that three workers have begun has failed. No row:
-- there is none, or another worker has it.
-- params: lease uuid, lease_ms int8
-- row: releases_url text, by_operator bool, actor_id uuid?, address text?, session_id uuid?
WITH due AS (
	SELECT is_it
	FROM firmware_releases
	WHERE is_it AND state IN ('waiting', 'fetching') AND leased_until <= present_time()
	FOR NO KEY UPDATE SKIP LOCKED
), taken AS (
	UPDATE firmware_releases
	SET state = CASE WHEN tries >= 3 THEN 'failed' ELSE 'fetching' END,
		problem = CASE WHEN tries >= 3 THEN 'the server was interrupted three times' END,
		ended_at = CASE WHEN tries >= 3 THEN present_time() END,
		tries = tries + 1, lease = :lease, leased_until = present_time() + :lease_ms * interval '1 millisecond',
		step = NULL, bytes = 0, size_bytes = NULL, images = '[]'
	FROM due
	WHERE firmware_releases.is_it = due.is_it
	RETURNING releases_url, by_operator, actor_id, address, session_id, state
)
SELECT releases_url, by_operator, actor_id, address, session_id
FROM taken
WHERE state = 'fetching'
