-- An installation of a device in the form of /v0. No row: the device has none with this ID.
-- params: device_id uuid, id text
-- row: installation_v0
SELECT {installation_v0}
FROM installation_v0
WHERE device_id = :device_id AND own_id = :id
