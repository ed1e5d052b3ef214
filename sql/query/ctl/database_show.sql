-- Describes the PostgreSQL server and the database of this session, with its largest tables, each with
-- its indexes. Every user that may connect may read all of this. Since PostgreSQL 17 the locale of
-- ICU's collations is in another column. The rows of tables are those that PostgreSQL has counted.
-- row: database_shown
-- work: grows with the database's files
SELECT current_setting('server_version') AS version,
	pg_encoding_to_char(database.encoding)::text AS encoding,
	coalesce(to_jsonb(database) ->> 'datlocale', to_jsonb(database) ->> 'daticulocale',
		database.datcollate)::text AS collation,
	(SELECT count(*) FROM pg_stat_activity
	 WHERE datid IS NOT NULL AND usesysid IS NOT NULL) AS used,
	current_setting('max_connections')::int8 AS most,
	pg_database_size(database.oid)::text AS bytes,
	(SELECT coalesce(jsonb_agg(largest), '[]')::text
	 FROM (SELECT relname::text AS name, pg_total_relation_size(oid) AS bytes,
			pg_stat_get_live_tuples(oid) AS "rowsAbout"
		FROM pg_class
		WHERE relkind = 'r' AND pg_table_is_visible(oid)
			AND relnamespace <> 'pg_catalog'::regnamespace
		ORDER BY bytes DESC NULLS LAST, name
		LIMIT 10) AS largest) AS tables,
	pg_backend_pid()::int8 AS backend_pid,
	to_regclass('schema_migration') IS NOT NULL AS has_schema
FROM pg_database AS database
WHERE database.datname = current_database()
