-- The installations of a device in the form of /v0, in the order of its rotation.
-- params: device_id uuid
-- row: installation_v0, rank int8
-- list: rank
SELECT {installation_v0}, rank
FROM installation_v0
WHERE device_id = :device_id AND {after}
{order}
