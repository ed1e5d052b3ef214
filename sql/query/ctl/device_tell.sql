-- Tells all workers that a device has changed.
-- params: id uuid, generation int8
-- row: told int8
-- effect: write
-- work: bounded
SELECT count(pg_notify('displayd_hint', 'device:' || :id || ':' || :generation)) AS told
