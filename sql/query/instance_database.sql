-- Describes the database for administrators: PostgreSQL's version, size, number of connections and
-- of accounts; and whether apps may reach the addresses of --egress-allow.
-- row: version text, bytes int8, connections int8, accounts int8, apps_reach_local bool
-- work: grows with the database's files
SELECT current_setting('server_version') AS version,
	pg_database_size(current_database()) AS bytes,
	(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) AS connections,
	account_count AS accounts, apps_reach_local
FROM site
WHERE is_it
