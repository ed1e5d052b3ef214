-- A device by its ID, of any account.
-- params: id uuid
-- row: device
-- effect: read
-- work: bounded
SELECT {device}
FROM device
WHERE id = :id
