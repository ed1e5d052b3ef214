-- The generations of many devices, for reconciliation.
-- is_held: this process says that its panel is online.
-- params: ids uuid[], presence_id uuid
-- row: id uuid, generation int8, is_held bool
SELECT id, generation, coalesce(online_by = :presence_id, false) AS is_held
FROM device
WHERE id = ANY (:ids)
