-- The entries of a device's rotation that have a picture, in their order. Pictures come only where
-- they are newer than the generation that the caller knows.
-- params: device_id uuid, known_generation int8
-- row: id text, position int8, picture_generation int8, picture bytea
-- effect: read
SELECT id, position, picture_generation,
	CASE WHEN picture_generation > $2 THEN picture END AS picture
FROM installation
WHERE device_id = $1 AND picture IS NOT NULL
ORDER BY position
