-- Tells all workers that apps were imported: all open catalogues, and whoever renders them.
-- params: ids uuid[], generations int8[]
-- row: told int8
-- effect: write
-- work: bounded
SELECT count(pg_notify('displayd_hint', hint)) AS told
FROM (
	SELECT 'app:' || id || ':' || generation AS hint
	FROM unnest(:ids, :generations) AS changed (id, generation)
	UNION ALL
	SELECT 'changed:00000000-0000-0000-0000-000000000000:apps'
) AS hints
