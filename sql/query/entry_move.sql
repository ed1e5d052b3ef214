-- Moves an entry to the top of its device's rotation, or to the bottom. As in rotation_order, new positions are above
-- all earlier ones, and the device is locked first; expired entries keep their positions. has_entry: otherwise the
-- device has no such entry. is_stale: an entry was added while the statement waited for the lock, so it was not seen.
-- Nothing was changed then. No row: the device is gone.
-- params: device_id uuid, id text, is_top bool
-- row: generation int8, has_entry bool, is_stale bool
-- changes: device_id
WITH locked AS (
	SELECT id, generation, entry_count
	FROM device
	WHERE id = :device_id
	FOR NO KEY UPDATE
), seen AS (
	SELECT installation.id, installation.rank, is_present(installation.expires_at) AS is_present
	FROM locked
	JOIN installation ON installation.device_id = locked.id
	FOR UPDATE OF installation
), present AS (
	SELECT seen.id, seen.rank
	FROM seen
	WHERE seen.is_present AND (SELECT count(*) FROM seen) = (SELECT entry_count FROM locked)
), wanted AS (
	SELECT present.id, row_number() OVER (ORDER BY present.id <> :id, present.rank) AS number
	FROM present
	WHERE (:is_top OR present.id = :id) AND EXISTS (SELECT FROM present WHERE id = :id)
), moved AS (
	UPDATE installation
	SET moved_to = locked.generation + wanted.number
	FROM locked, wanted
	WHERE installation.device_id = locked.id AND installation.id = wanted.id
), touched AS (
	UPDATE device
	SET generation = device.generation + (SELECT count(*) FROM wanted)
	FROM locked
	WHERE device.id = locked.id AND EXISTS (SELECT FROM wanted)
	RETURNING device.generation
)
SELECT coalesce((SELECT generation FROM touched), locked.generation) AS generation,
	EXISTS (SELECT FROM wanted) AS has_entry, (SELECT count(*) FROM seen) <> locked.entry_count AS is_stale
FROM locked
