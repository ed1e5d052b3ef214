-- Makes a device show the next entry of its rotation. No row: it is gone.
-- params: id uuid
-- row: generation int8
UPDATE device
SET turn_count = turn_count + 1,
	turned_at = present_time(),
	generation = generation + 1
WHERE id = :id
RETURNING generation
