-- Puts the entries of a rotation into another order. Their new places are above all earlier ones, and
-- the device's generation is the last of them, so that the next entry comes behind. The device is
-- locked first, as by every change of its entries; its count of them is then the present one, and
-- entries that went meanwhile are not found. is_stale: the rotation has other entries than those that
-- are named, and nothing was changed. No row: the device is gone.
-- params: device_id uuid, ids text[]
-- row: generation int8, is_stale bool
-- effect: write
-- work: bounded
WITH locked AS (
	SELECT id, generation, entry_count
	FROM device
	WHERE id = :device_id
	FOR NO KEY UPDATE
), present AS (
	SELECT installation.id
	FROM locked
	JOIN installation ON installation.device_id = locked.id
	FOR UPDATE OF installation
), counted AS (
	SELECT locked.id, locked.generation, locked.entry_count AS count,
		(SELECT count(*) FROM present WHERE id = ANY (:ids)) = locked.entry_count
			AND cardinality(:ids) = locked.entry_count AS is_complete
	FROM locked
), moved AS (
	UPDATE installation
	SET moved_to = counted.generation + wanted.place
	FROM counted, unnest(:ids) WITH ORDINALITY AS wanted (id, place)
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
