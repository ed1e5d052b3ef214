-- The generations of many devices: repairs what lost hints left behind.
-- params: ids uuid[]
-- row: id uuid, generation int8
-- effect: read
SELECT id, generation
FROM device
WHERE id = ANY (:ids)
