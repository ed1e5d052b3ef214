-- Changes settings of a device; absent settings stay as they are. It is one statement, so that
-- parallel changes of different settings lose nothing. If expected_revision is not 0, the settings
-- are changed only if they still have this revision. No row: the device is gone, or its settings
-- have another revision.
-- params: id uuid, account_id uuid, expected_revision int8, change device
-- row: (device)
-- changes: id
-- commit: shared
-- alone: brightness, volume
-- refuse: 22023 -> unknown_timezone
UPDATE device
SET {change}, generation = generation + 1, settings_revision = settings_revision + 1
WHERE id = :id AND account_id = :account_id
	AND (:expected_revision = 0 OR settings_revision = :expected_revision)
RETURNING ROW({device}) AS device
