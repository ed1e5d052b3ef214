-- The last migration that was applied to the database.
-- row: applied int8
SELECT coalesce(max(number), 0)::int8 AS applied FROM schema_migration
