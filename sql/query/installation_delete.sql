-- Removes an installation from a device. No row: the device has none with this ID. The device's row
-- is locked first, as by every change of its installations. expected_generation: that of the
-- device, else no row either; 0: any.
-- params: device_id uuid, id text, expected_generation int8
-- row: generation int8
-- changes: device_id
WITH touched AS (
	UPDATE device
	SET generation = generation + 1
	WHERE id = :device_id
		AND EXISTS (
			SELECT
			FROM installation
			WHERE device_id = :device_id AND id = :id AND is_present(expires_at))
		AND (:expected_generation = 0 OR generation = :expected_generation)
	RETURNING id, generation
), removed AS (
	DELETE FROM installation
	USING touched
	WHERE installation.device_id = touched.id AND installation.id = :id
	RETURNING installation.id
)
SELECT touched.generation
FROM touched, removed
