-- Writes when devices were last online, many at once. What lies in the future, because a clock was
-- wrong or is, becomes the present. Rows are locked in the order of their IDs, so that two instances
-- cannot wait for each other.
-- params: ids uuid[], seen_at timestamptz[]
-- effect: write
WITH seen AS (
	SELECT seen.id, max(seen.at) AS at
	FROM unnest(:ids, :seen_at) AS seen (id, at)
	GROUP BY seen.id
), locked AS (
	SELECT id
	FROM device
	WHERE id = ANY (:ids)
	ORDER BY id
	FOR NO KEY UPDATE
)
UPDATE device
SET last_online_at = least(greatest(device.last_online_at, seen.at), clock_timestamp())
FROM seen
JOIN locked USING (id)
WHERE device.id = seen.id
