-- The installations of some devices that have a picture, in the order of their rotations. A row has
-- its picture only where that is newer than the generation that the caller knows, and while all
-- pictures together have at most 16 MiB: the caller fetches others when their turn comes. number is
-- the place of the device's ID in the array, from 1.
-- params: device_ids uuid[], known_generations int8[]
-- row: number int8, id text, position int8, picture_generation int8, picture bytea?
-- effect: read
SELECT wanted.number, installation.id, installation.position, installation.picture_generation,
	CASE WHEN installation.picture_generation > wanted.known
		AND sum(length(installation.picture))
			FILTER (WHERE installation.picture_generation > wanted.known)
			OVER (ORDER BY wanted.number, installation.rank) <= 16 * 1024 * 1024
	THEN installation.picture END AS picture
FROM unnest(:device_ids, :known_generations) WITH ORDINALITY AS wanted (id, known, number)
CROSS JOIN LATERAL (
	SELECT *
	FROM installation
	WHERE installation.device_id = wanted.id AND installation.picture IS NOT NULL
	OFFSET 0 -- one look-up a device, whatever the planner thinks
) AS installation
ORDER BY wanted.number, installation.rank
