-- Stores the MAC address that the panel of a device reports. No row: it is stored already.
-- params: id uuid, mac macaddr
-- row: generation int8
UPDATE device
SET told_mac = :mac, generation = generation + 1
WHERE id = :id AND :mac IS DISTINCT FROM coalesce(told_mac, mac)
RETURNING generation
