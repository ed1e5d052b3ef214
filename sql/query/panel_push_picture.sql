-- The picture of a temporary image that a device shows, for a worker that does not have it in its
-- cache. No row: another push came, or the push is an installation's.
-- params: device_id uuid, push_generation int8
-- row: picture bytea
SELECT picture
FROM showing
WHERE device_id = :device_id AND push_generation = :push_generation AND picture IS NOT NULL
