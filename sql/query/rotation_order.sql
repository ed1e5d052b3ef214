-- Puts the entries of a rotation into another order. Their new positions are above all earlier
-- ones, and the device's generation is the last of them, so that the next entry comes last. The
-- device is locked first, as by every change of its entries; so its entry count is the current one,
-- and entries that were removed meanwhile are not found. Expired entries are not named and keep
-- their positions. is_stale: the rotation has other entries than those that are named, and nothing
-- was changed. No row: the device is gone.
-- params: device_id uuid, ids text[]
-- row: generation int8, is_stale bool
-- changes: device_id
WITH locked AS (
	SELECT id, generation, entry_count
	FROM device
	WHERE id = :device_id
	FOR NO KEY UPDATE
), present AS (
	SELECT installation.id, is_present(installation.expires_at) AS is_present
	FROM locked
	JOIN installation ON installation.device_id = locked.id
	FOR UPDATE OF installation
), wanted AS MATERIALIZED (
	SELECT coalesce(exact.id, made.id) AS id, asked.number
	FROM unnest(:ids) WITH ORDINALITY AS asked (id, number)
	LEFT JOIN present AS exact ON exact.id = asked.id
	LEFT JOIN present AS made ON exact.id IS NULL AND made.id = lower(asked.id)
		AND asked.id ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
), counted AS (
	SELECT locked.id, locked.generation, locked.entry_count AS count,
		found.named = locked.entry_count - found.expired
			AND cardinality(:ids) = found.named AS is_complete
	FROM locked
	CROSS JOIN (
		SELECT count(*) FILTER (WHERE is_present AND id IN (SELECT id FROM wanted)) AS named,
			count(*) FILTER (WHERE NOT is_present) AS expired
		FROM present
	) AS found
), moved AS (
	UPDATE installation
	SET moved_to = counted.generation + wanted.number
	FROM counted, wanted
	WHERE counted.is_complete AND installation.device_id = counted.id
		AND installation.id = wanted.id
), touched AS (
	UPDATE device
	SET generation = device.generation + greatest(counted.count, 1)
	FROM counted
	WHERE device.id = counted.id AND counted.is_complete
	RETURNING device.generation
)
SELECT coalesce((SELECT generation FROM touched), counted.generation) AS generation,
	NOT counted.is_complete AS is_stale
FROM counted
