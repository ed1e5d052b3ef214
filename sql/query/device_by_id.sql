-- A device by its ID, whoever owns it.
-- params: id uuid
-- row: device
-- effect: read
SELECT {device}
FROM device
WHERE id = :id
