-- The largest tables, each with its indexes. The rows are those that PostgreSQL has counted.
-- row: name text, bytes int8, rows int8
-- effect: read
-- work: grows with the database's files
SELECT relname::text AS name, pg_total_relation_size(oid) AS bytes,
	pg_stat_get_live_tuples(oid) AS rows
FROM pg_class
WHERE relkind = 'r' AND pg_table_is_visible(oid) AND relnamespace <> 'pg_catalog'::regnamespace
ORDER BY bytes DESC NULLS LAST, name
LIMIT 10
