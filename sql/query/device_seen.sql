-- Writes when devices were last online, and when first, many at once. Times in the future, because
-- a clock was or is wrong, become the present. Locked rows are skipped and returned, so nothing
-- waits, and no two instances can wait for each other. The commit does not wait for the disk: all
-- workers write at the same moment, and reach the disk together. So it must never share a commit:
-- others' writes would not wait, either. Other instances are notified of panels that are online for
-- the first time, or again; they read rows of online panels again by themselves
-- (include/task/read_cache.h).
-- params: ids uuid[], seen_at timestamptz[]
-- row: id uuid, seen_at timestamptz
-- changes: ids without hints
WITH unhurried AS MATERIALIZED (
	SELECT set_config('synchronous_commit', 'off', true)
), seen AS (
	SELECT seen.id, max(seen.at) AS at
	FROM unhurried
	CROSS JOIN unnest(:ids, :seen_at) AS seen (id, at)
	GROUP BY seen.id
), locked AS (
	SELECT id, last_online_at, connected_at
	FROM device
	WHERE id = ANY (:ids)
	FOR NO KEY UPDATE SKIP LOCKED
), told AS (
	SELECT count(pg_notify('displayd_hint', portion.hints))
	FROM (
		SELECT string_agg('read:' || back.id, ' ') AS hints
		FROM (
			SELECT id, row_number() OVER () AS number
			FROM locked
			WHERE connected_at IS NULL OR last_online_at < present_time() - interval '75 seconds'
		) AS back
		GROUP BY back.number / 150
	) AS portion
), written AS (
	UPDATE device
	SET last_online_at = least(greatest(device.last_online_at, seen.at), present_time()),
		connected_at = coalesce(device.connected_at, least(seen.at, present_time()))
	FROM told, seen
	JOIN locked USING (id)
	WHERE device.id = seen.id
)
SELECT seen.id, seen.at AS seen_at
FROM seen
WHERE NOT EXISTS (SELECT FROM locked WHERE locked.id = seen.id)
