-- Which session runs the writes of a key.
-- params: key int8
-- row: pid int4, key int8
-- effect: write
-- work: bounded
SELECT pg_backend_pid() AS pid, :key AS key
