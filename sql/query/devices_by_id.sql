-- Devices by their IDs, of any account.
-- params: ids uuid[]
-- row: (device), key_number int8
-- batches: device_by_id
SELECT ROW(device.{device}) AS device, wanted.key_number
FROM unnest(:ids) WITH ORDINALITY AS wanted (id, key_number)
JOIN device ON device.id = wanted.id
