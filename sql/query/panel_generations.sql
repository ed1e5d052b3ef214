-- The generations of many devices, for reconciliation.
-- params: ids uuid[]
-- row: id uuid, generation int8
SELECT id, generation
FROM device
WHERE id = ANY (:ids)
