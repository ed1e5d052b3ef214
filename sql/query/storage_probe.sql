-- Succeeds if the database has free space: it needs new pages and a commit, and leaves nothing
-- behind.
CREATE TEMPORARY TABLE storage_probe ON COMMIT DROP AS
SELECT n, repeat('x', 1000) AS filler
FROM generate_series(1, 100) AS n
