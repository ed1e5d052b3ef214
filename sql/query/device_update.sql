-- Changes settings of a device; absent settings stay as they are. It is one statement, so that
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
