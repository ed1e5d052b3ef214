-- Orders the panel of a device to restart. No row: the device is gone.
-- params: id uuid
-- row: generation int8
UPDATE device
SET order_generation = generation + 1,
	ordered_at = present_time(),
	generation = generation + 1
WHERE id = :id
RETURNING generation
