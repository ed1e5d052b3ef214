-- Changes settings of a device; those that are absent stay as they are. One statement, so that
-- parallel changes of different settings lose nothing. No row: the device is gone.
-- params: id uuid, account_id uuid, change device
-- row: device
-- effect: write
-- commit: shared
-- refuse: 22023 -> unknown_timezone
UPDATE device
SET {change}, generation = generation + 1
WHERE id = :id AND account_id = :account_id
RETURNING {device}
