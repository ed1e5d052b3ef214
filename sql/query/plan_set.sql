-- Replaces the windows of a device's plan. expected_revision: of its settings; 0: any. generation 0: it has none of one
-- of these entries, and nothing is changed. No row: the device is gone, or its settings have another revision.
-- params: id uuid, expected_revision int8, plan text, entry_ids text[]
-- row: generation int8
-- changes: id
WITH owned AS (
	SELECT id
	FROM device
	WHERE id = :id AND (:expected_revision = 0 OR settings_revision = :expected_revision)
	FOR NO KEY UPDATE
), changed AS (
	UPDATE device
	SET plan_json = :plan, generation = generation + 1, settings_revision = settings_revision + 1
	FROM owned
	WHERE device.id = owned.id AND NOT EXISTS (
		SELECT
		FROM unnest(:entry_ids) AS wanted (entry_id)
		WHERE NOT EXISTS (
			SELECT
			FROM installation
			WHERE device_id = :id AND installation.id = wanted.entry_id AND is_present(expires_at)))
	RETURNING device.generation
)
SELECT coalesce((SELECT generation FROM changed), 0) AS generation
FROM owned
