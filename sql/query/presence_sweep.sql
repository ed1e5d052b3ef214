-- Takes from a process that has not been seen for a minute what it still holds: of the next devices by their IDs, so no
-- index is needed, which each change of a device would have to keep. They were online until it was seen last. After the
-- last device the process is forgotten. Rows that are locked are taken by a later call, which goes over the same
-- devices. The commit does not wait for the disk.
-- params: device_limit int8
-- row: id uuid
-- changes: id without hints
WITH unhurried AS MATERIALIZED (
	SELECT set_config('synchronous_commit', 'off', true)
), ended AS MATERIALIZED (
	SELECT id, seen_at, swept_to
	FROM presence
	CROSS JOIN unhurried
	WHERE presence.id > '00000000-0000-0000-0000-000000000000' AND seen_at < present_time() - interval '60 seconds'
	ORDER BY seen_at, id
	LIMIT 1
	FOR UPDATE OF presence SKIP LOCKED
), part AS MATERIALIZED (
	SELECT device.id, device.online_by = ended.id AS is_held
	FROM ended
	CROSS JOIN LATERAL (
		SELECT id, online_by
		FROM device
		WHERE id > ended.swept_to
		ORDER BY id
		LIMIT :device_limit
	) AS device
), locked AS MATERIALIZED (
	SELECT id
	FROM device
	WHERE id = ANY (ARRAY(SELECT id FROM part WHERE is_held))
	ORDER BY id
	FOR NO KEY UPDATE SKIP LOCKED
), written AS (
	UPDATE device
	SET last_online_at = greatest(device.last_online_at, ended.seen_at),
		online_by = NULL
	FROM locked, ended
	WHERE device.id = locked.id AND device.online_by = ended.id
	RETURNING device.id
), counted AS (
	SELECT count(*) AS devices, count(*) FILTER (WHERE is_held) = (SELECT count(*) FROM locked) AS is_whole
	FROM part
), gone AS (
	DELETE FROM presence
	USING ended, counted
	WHERE presence.id = ended.id AND counted.is_whole AND counted.devices < :device_limit
), noted AS (
	UPDATE presence
	SET swept_to = (SELECT id FROM part ORDER BY id DESC LIMIT 1)
	FROM ended, counted
	WHERE presence.id = ended.id AND counted.is_whole AND counted.devices = :device_limit
)
SELECT id
FROM written
