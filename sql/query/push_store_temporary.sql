-- Stores a temporary image as what the device is to show now. No row: the device is gone.
-- params: device_id uuid, picture bytea, duration_s int4
-- row: generation int8
-- effect: write
WITH touched AS (
	UPDATE device
	SET generation = generation + 1
	WHERE id = $1
	RETURNING id, generation
)
INSERT INTO showing (device_id, push_generation, picture, duration_s)
SELECT touched.id, touched.generation, $2, $3
FROM touched
ON CONFLICT (device_id) DO UPDATE
SET push_generation = excluded.push_generation,
	installation_id = NULL,
	picture = excluded.picture,
	duration_s = excluded.duration_s,
	created_at = excluded.created_at,
	displayed_at = NULL
RETURNING push_generation AS generation
