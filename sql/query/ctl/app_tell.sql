-- Tells all workers that another version of an app was deployed.
-- params: id uuid, generation int8
-- row: told int8
-- effect: write
SELECT count(pg_notify('displayd_hint', 'app:' || :id || ':' || :generation)) AS told
