-- The ID of an installation whose ID a caller wrote with capital letters: as it is, else in lower case. No row: the
-- device has none.
-- params: device_id uuid, id text
-- row: id text
SELECT id
FROM installation
WHERE device_id = :device_id AND id IN (:id, lower(:id))
ORDER BY id = :id DESC
LIMIT 1
