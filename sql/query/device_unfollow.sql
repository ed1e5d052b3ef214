-- Lets a device show its own rotation again. No row: it is gone, or follows none.
-- params: id uuid
-- row: generation int8
-- changes: id
UPDATE device
SET leader_id = NULL,
	own_brightness = false,
	own_sleep = false,
	generation = generation + 1
WHERE id = :id AND leader_id IS NOT NULL
RETURNING generation
