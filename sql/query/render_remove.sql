-- Removes renders of render keys that nobody needs any more: some of those that the last
-- installation has left a minute ago, if no render of them is running. is_left: there may be more.
-- params: row_limit int8
-- row: removed int8, is_left bool
WITH portion AS (
	SELECT ctid
	FROM left_place
	WHERE left_at < (SELECT present_time() - interval '1 minute')
	ORDER BY left_at
	LIMIT :row_limit
	FOR UPDATE SKIP LOCKED
), taken AS (
	DELETE FROM left_place
	WHERE ctid IN (SELECT ctid FROM portion)
	RETURNING place
), removed AS (
	DELETE FROM render
	WHERE place IN (SELECT place FROM taken)
		AND NOT EXISTS (SELECT FROM installation WHERE installation.place = render.place)
		AND NOT EXISTS (SELECT FROM installation WHERE installation.last_place = render.place)
	RETURNING true
)
SELECT (SELECT count(*) FROM removed) AS removed,
	(SELECT count(*) FROM taken) >= :row_limit AS is_left
