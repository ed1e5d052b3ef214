-- Returns when these devices were last online.
-- params: ids uuid[]
-- row: id uuid, last_online_at timestamptz
SELECT id, greatest(last_online_at, (
	SELECT presence.seen_at FROM presence WHERE presence.id = online_by)) AS last_online_at
FROM device
WHERE id = ANY (:ids)
