-- Leases, for lease_ms, a collection that is to be fetched: asked for, or a day after the last
-- time. One that five workers have begun has failed. No row: there is none, or other workers
-- have them.
-- params: lease uuid, lease_ms int8
-- row: id uuid, account_id uuid, account text, name text, url text, folder text, etag text, folders text,
--   confirmed_tree text?
WITH due AS (
	SELECT id, tries >= 5 AND state IN ('waiting', 'fetching') AS is_last
	FROM app_archive
	WHERE leased_until <= present_time()
		AND (state IN ('waiting', 'fetching') OR ended_at <= present_time() - interval '1 day')
	ORDER BY asked_at
	LIMIT 1
	FOR NO KEY UPDATE SKIP LOCKED
), taken AS (
	UPDATE app_archive
	SET state = CASE WHEN is_last THEN 'failed' ELSE 'fetching' END,
		problem = CASE WHEN is_last THEN coalesce(problem, 'the server was interrupted five times') END,
		ended_at = CASE WHEN is_last THEN present_time() END,
		tries = CASE WHEN app_archive.state IN ('waiting', 'fetching') THEN tries + 1 ELSE 1 END,
		lease = :lease, leased_until = present_time() + :lease_ms * interval '1 millisecond',
		step = 'download', bytes = 0, size_bytes = NULL, app_count = 0, done_count = 0
	FROM due
	WHERE app_archive.id = due.id
	RETURNING app_archive.*
)
SELECT taken.id, taken.account_id, account.email AS account, taken.name,
	taken.url, taken.folder, taken.etag, taken.folders,
	taken.confirmed_tree
FROM taken
JOIN account ON account.id = taken.account_id
WHERE taken.state = 'fetching'
