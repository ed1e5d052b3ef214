-- A part of the installations of a device in the form of /v0, in the order of its rotation: at most
-- so many after a list position.
-- params: device_id uuid, after_rank int8, row_limit int8
-- row: installation_v0, rank int8
-- effect: read
-- work: bounded
SELECT {installation_v0}, rank
FROM installation_v0
WHERE device_id = :device_id AND rank > :after_rank
ORDER BY rank
LIMIT :row_limit
