-- Describes the PostgreSQL server and the database of this session. Every user that may connect may
-- read all of this. Since PostgreSQL 17 the locale of ICU's collations is in another column.
-- row: version text, encoding text, collation text, bytes int8, used int8, most int8, backend_pid int8, has_schema bool
-- effect: read
-- work: grows with the database's files
SELECT current_setting('server_version') AS version,
	pg_encoding_to_char(database.encoding)::text AS encoding,
	coalesce(to_jsonb(database) ->> 'datlocale', to_jsonb(database) ->> 'daticulocale',
		database.datcollate)::text AS collation,
	pg_database_size(database.oid) AS bytes,
	(SELECT count(*) FROM pg_stat_activity
	 WHERE datid IS NOT NULL AND usesysid IS NOT NULL) AS used,
	current_setting('max_connections')::int8 AS most,
	pg_backend_pid()::int8 AS backend_pid,
	to_regclass('schema_migration') IS NOT NULL AS has_schema
FROM pg_database AS database
WHERE database.datname = current_database()
