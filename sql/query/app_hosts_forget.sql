-- Forgets hosts that apps have not asked for 30 days, which no longer count: for so many apps, in
-- the order of their IDs. after_id: next_id of the previous portion; all zero at first, and after
-- the last app. is_left: there may be more of the same apps. Rows that are locked stay until the
-- next time.
-- params: after_id uuid, row_limit int8
-- row: forgotten int8, next_id uuid, is_left bool
WITH portion AS (
	SELECT id
	FROM app
	WHERE id > :after_id
	ORDER BY id
	LIMIT :row_limit
), old AS (
	SELECT app_host.app_id, app_host.host
	FROM portion
	JOIN app_host ON app_host.app_id = portion.id
	WHERE app_host.asked_at < present_time() - interval '30 days'
	LIMIT :row_limit
	FOR UPDATE OF app_host SKIP LOCKED
), gone AS (
	DELETE FROM app_host
	USING old
	WHERE app_host.app_id = old.app_id AND app_host.host = old.host
	RETURNING true
), counted AS (
	SELECT count(*) AS forgotten, count(*) >= :row_limit AS is_left
	FROM gone
)
SELECT forgotten, CASE WHEN is_left THEN :after_id ELSE coalesce(
		(SELECT id FROM portion ORDER BY id OFFSET :row_limit - 1 LIMIT 1),
		'00000000-0000-0000-0000-000000000000') END AS next_id, is_left
FROM counted
