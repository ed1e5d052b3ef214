-- Which session runs it.
-- row: pid int4
-- effect: read
SELECT pg_backend_pid() AS pid
