-- The devices of an account, oldest first.
-- params: account_id uuid
-- row: device
-- effect: read
SELECT {device}
FROM device
WHERE account_id = :account_id
ORDER BY created_at, id
