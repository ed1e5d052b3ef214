-- Leases, for lease_ms, a collection that is to be fetched: asked for, or a day after the last
-- time. One that five workers have begun has failed. No row: there is none, or other workers
-- have them. Own collections of an account are fetched one at a time, and that account first whose last fetch is the
-- longest ago: one that fetches without end delays another by a fetch. is_public: it reaches only public addresses.
-- params: lease uuid, lease_ms int8
-- row: id uuid, account_id uuid, account text, name text, url text, folder text, etag text, folders text,
--   confirmed_tree text?, is_for_all bool, is_public bool
WITH due AS (
	SELECT id, tries >= 5 AND state IN ('waiting', 'fetching') AS is_last
	FROM app_archive
	WHERE asked_at > '-infinity' AND leased_until <= present_time()
		AND (state IN ('waiting', 'fetching') OR ended_at <= present_time() - interval '1 day')
		AND (is_for_all OR 0 = (
			SELECT count(*)
			FROM app_archive AS other
			WHERE other.account_id = app_archive.account_id AND NOT other.is_for_all
				AND other.state = 'fetching' AND other.leased_until > present_time()))
	ORDER BY is_for_all DESC, CASE WHEN is_for_all THEN asked_at ELSE coalesce((
		SELECT max(other.ended_at) FROM app_archive AS other
		WHERE other.account_id = app_archive.account_id AND NOT other.is_for_all), '-infinity') END, asked_at
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
	taken.confirmed_tree, taken.is_for_all,
	NOT taken.is_for_all AND NOT (account.reaches_local AND site.apps_reach_local) AS is_public
FROM taken
JOIN account ON account.id = taken.account_id
JOIN site ON site.is_it
WHERE taken.state = 'fetching'
