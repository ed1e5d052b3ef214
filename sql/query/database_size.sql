-- Returns, for the metrics, the size of the database and when it was last backed up; 1970: never.
-- row: bytes int8, backed_up_at timestamptz
-- work: grows with the database's files
SELECT pg_database_size(current_database()) AS bytes,
	coalesce(backed_up_at, 'epoch') AS backed_up_at
FROM site
WHERE is_it
