-- A device by its MAC address, of any account.
-- params: mac macaddr
-- row: device
-- effect: read
SELECT {device}
FROM device
WHERE mac = :mac
