-- Describes the database for administrators: PostgreSQL's version, size, number of connections and
-- of accounts; whether apps may reach the addresses of --egress-allow; the last backup (1970: none),
-- webhooks that have failed for an hour, collections that failed or wait to be confirmed, and a failed
-- fetch of firmware.
-- row: version text, bytes int8, connections int8, accounts int8, apps_reach_local bool,
--   backed_up_at timestamptz, webhooks_failing int8, collections_failed int8, collections_held int8,
--   firmware_failed int8
-- work: grows with the database's files
SELECT current_setting('server_version') AS version,
	pg_database_size(current_database()) AS bytes,
	(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) AS connections,
	account_count AS accounts, apps_reach_local,
	coalesce(backed_up_at, 'epoch') AS backed_up_at,
	(SELECT count(*) FROM webhook
		WHERE is_enabled AND failing_since < present_time() - interval '1 hour') AS webhooks_failing,
	(SELECT count(*) FROM app_archive WHERE asked_at > '-infinity' AND state = 'failed') AS collections_failed,
	(SELECT count(*) FROM app_archive WHERE asked_at > '-infinity' AND state = 'held') AS collections_held,
	(SELECT count(*) FROM firmware_releases WHERE is_it AND state = 'failed') AS firmware_failed
FROM site
WHERE is_it
