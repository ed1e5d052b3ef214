-- Moves an entry to the top of its device's rotation, or to the bottom. As in rotation_order, new positions are above
-- all earlier ones, and the device is locked first; expired entries keep their positions. has_entry: otherwise the
-- device has no such entry, and nothing was changed. No row: the device is gone.
-- params: device_id uuid, id text, is_top bool
-- row: generation int8, has_entry bool
-- changes: device_id
WITH locked AS (
	SELECT id, generation
	FROM device
	WHERE id = :device_id
	FOR NO KEY UPDATE
), present AS (
	SELECT installation.id, installation.rank
	FROM locked
	JOIN installation ON installation.device_id = locked.id
	WHERE is_present(installation.expires_at)
	FOR UPDATE OF installation
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
	EXISTS (SELECT FROM wanted) AS has_entry
FROM locked
