-- Returns when these devices were last online.
-- params: ids uuid[]
-- row: id uuid, last_online_at timestamptz
SELECT id, last_online_at
FROM device
WHERE id = ANY (:ids)
