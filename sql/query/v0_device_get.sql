-- A device of an account in the form of /v0. No row: it is gone.
-- params: id uuid, account_id uuid
-- row: device_v0
SELECT {device_v0}
FROM device_v0
WHERE id = :id AND account_id = :account_id
