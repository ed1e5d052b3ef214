-- Writes that devices were online, and until when: many at once. ages_us: how long ago each was seen, so a wrong clock
-- of an instance matters to nobody. holds: 0 if its panel has left this worker, and only that time is written; 1 if it
-- is there, unless a process that is running holds it; 2 if it is there, and no longer where it was. What the database
-- knows already is neither locked nor written. Locked rows are skipped and returned, so nothing waits, and no two
-- instances can wait for each other; so are those that another process holds (is_held). number is the index of the ID,
-- from 1. The commit does not wait for the disk: all workers write at the same moment, and reach the disk together. So
-- the statement must never be in one transaction with others, which would not wait, either. Other instances are
-- notified of panels that are online for the first time, or again; they read rows of online panels again by themselves
-- (include/task/read_cache.h).
-- params: ids uuid[], ages_us int8[], holds int8[], presence_id uuid
-- row: number int8, is_held bool
-- changes: ids without hints
WITH unhurried AS MATERIALIZED (
	SELECT set_config('synchronous_commit', 'off', true)
), seen AS MATERIALIZED (
	SELECT seen.id, min(seen.number) AS number, max(seen.hold) AS hold,
		present_time() - least(greatest(min(seen.age_us), 0), 86400000000) * interval '1 microsecond' AS at
	FROM unhurried
	CROSS JOIN unnest(:ids, :ages_us, :holds) WITH ORDINALITY AS seen (id, age_us, hold, number)
	GROUP BY seen.id
), known AS MATERIALIZED (
	SELECT device.id, seen.number, greatest(device.last_online_at, presence.seen_at) AS online_at,
		seen.hold = 0 OR device.connected_at IS NULL OR presence.id IS NULL
			OR (device.online_by <> :presence_id
				AND (seen.hold = 2 OR presence.seen_at < present_time() - interval '25 seconds')) AS is_due,
		device.online_by IS DISTINCT FROM :presence_id AS is_elsewhere
	FROM device
	JOIN seen ON seen.id = device.id
	LEFT JOIN presence ON presence.id = device.online_by
	WHERE device.id = ANY (:ids)
), locked AS (
	SELECT id, connected_at
	FROM device
	WHERE id = ANY (ARRAY(SELECT id FROM known WHERE is_due))
	FOR NO KEY UPDATE SKIP LOCKED
), told AS (
	SELECT count(pg_notify('displayd_hint', portion.hints))
	FROM (
		SELECT string_agg('read:' || back.id, ' ') AS hints
		FROM (
			SELECT locked.id, row_number() OVER () AS number
			FROM locked
			JOIN known ON known.id = locked.id
			WHERE locked.connected_at IS NULL OR known.online_at < present_time() - interval '75 seconds'
		) AS back
		GROUP BY back.number / 150
	) AS portion
), written AS (
	UPDATE device
	SET last_online_at = least(greatest(device.last_online_at, seen.at), present_time()),
		connected_at = coalesce(device.connected_at, least(seen.at, present_time())),
		online_by = CASE WHEN seen.hold > 0 THEN :presence_id
			WHEN device.online_by <> :presence_id THEN device.online_by END
	FROM told, seen
	JOIN locked ON locked.id = seen.id
	WHERE device.id = seen.id
)
SELECT known.number, NOT known.is_due AS is_held
FROM known
WHERE CASE WHEN known.is_due THEN NOT EXISTS (SELECT FROM locked WHERE locked.id = known.id) ELSE known.is_elsewhere END
