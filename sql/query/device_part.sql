-- A part of the devices of an account, oldest first: at most so many that come after a place.
-- params: account_id uuid, after_created_at timestamptz, after_id uuid, row_limit int8
-- row: device_shown, created_at timestamptz
-- effect: read
-- work: bounded
SELECT {device_shown}, created_at
FROM device
WHERE account_id = :account_id AND (created_at, id) > (:after_created_at, :after_id)
ORDER BY created_at, id
LIMIT :row_limit
