-- Replaces the windows of a device's plan. No row: the device is gone, or has none of one of these entries.
-- params: id uuid, plan text, entry_ids text[]
-- row: generation int8
-- changes: id
UPDATE device
SET plan_json = :plan, generation = generation + 1, settings_revision = settings_revision + 1
WHERE id = :id AND NOT EXISTS (
	SELECT
	FROM unnest(:entry_ids) AS wanted (entry_id)
	WHERE NOT EXISTS (
		SELECT
		FROM installation
		WHERE device_id = :id AND installation.id = wanted.entry_id AND is_present(expires_at)))
RETURNING generation
