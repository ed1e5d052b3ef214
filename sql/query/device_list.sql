-- The devices of an account, oldest first; at most 101, one more than a short list has.
-- params: account_id uuid
-- row: device_shown
-- effect: read
-- work: bounded
SELECT {device_shown}
FROM device
WHERE account_id = :account_id
ORDER BY created_at, id
LIMIT 101
