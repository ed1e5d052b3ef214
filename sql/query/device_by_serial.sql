-- A device by its serial number, whoever owns it.
-- params: serial text
-- row: device
-- effect: read
SELECT {device}
FROM device
WHERE serial = :serial
