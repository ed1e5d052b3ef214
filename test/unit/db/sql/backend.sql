-- Which session runs it.
-- row: pid int4
-- effect: read
-- work: bounded
SELECT pg_backend_pid() AS pid
