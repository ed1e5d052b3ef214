-- Devices by their IDs, of any account.
-- params: ids uuid[]
-- row: device, place int8
-- effect: read
-- work: bounded
-- batches: device_by_id
SELECT device.{device}, wanted.place
FROM unnest(:ids) WITH ORDINALITY AS wanted (id, place)
JOIN device ON device.id = wanted.id
