-- A device by its ID, of any account.
-- params: id uuid
-- row: (device)
SELECT ROW({device}) AS device
FROM device
WHERE id = :id
