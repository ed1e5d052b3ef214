-- Writes when devices were last online, and when first, many at once. What lies in the future, because a clock was
-- wrong or is, becomes the present. Locked rows are left alone and returned: so nobody waits, and no
-- two instances can wait for each other.
-- params: ids uuid[], seen_at timestamptz[]
-- row: id uuid, seen_at timestamptz
-- effect: write
WITH seen AS (
	SELECT seen.id, max(seen.at) AS at
	FROM unnest(:ids, :seen_at) AS seen (id, at)
	GROUP BY seen.id
), locked AS (
	SELECT id
	FROM device
	WHERE id = ANY (:ids)
	FOR NO KEY UPDATE SKIP LOCKED
), written AS (
	UPDATE device
	SET last_online_at = least(greatest(device.last_online_at, seen.at), clock_timestamp()),
		connected_at = coalesce(device.connected_at, least(seen.at, clock_timestamp()))
	FROM seen
	JOIN locked USING (id)
	WHERE device.id = seen.id
)
SELECT seen.id, seen.at AS seen_at
FROM seen
WHERE NOT EXISTS (SELECT FROM locked WHERE locked.id = seen.id)
