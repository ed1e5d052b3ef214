-- A device by its MAC address, whoever owns it.
-- params: mac macaddr
-- row: device
-- effect: read
SELECT {device}
FROM device
WHERE mac = :mac
