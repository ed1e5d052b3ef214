-- Notes that this process runs: the panels that it holds are online. Returns whether another one has not been seen for
-- a minute, and still holds devices. The commit does not wait for the disk.
-- params: id uuid
-- row: has_ended bool
WITH unhurried AS MATERIALIZED (
	SELECT set_config('synchronous_commit', 'off', true)
), noted AS (
	INSERT INTO presence AS beat (id, seen_at)
	SELECT :id, present_time()
	FROM unhurried
	ON CONFLICT (id) DO UPDATE
	SET seen_at = excluded.seen_at,
		swept_to = excluded.swept_to
)
SELECT EXISTS (
	SELECT FROM presence
	WHERE id > '00000000-0000-0000-0000-000000000000' AND seen_at < present_time() - interval '60 seconds' AND id <> :id
) AS has_ended
