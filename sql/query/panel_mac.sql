-- Gives a device the hardware address that its panel has told, where it has none and nobody else has
-- this one. No row: it is not so.
-- params: id uuid, mac macaddr
-- row: generation int8
-- effect: write
-- refuse: device_mac_unique -> mac_taken
UPDATE device
SET mac = :mac, generation = generation + 1
WHERE id = :id AND mac IS NULL AND NOT EXISTS (SELECT FROM device WHERE mac = :mac)
RETURNING generation
