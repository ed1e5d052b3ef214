-- A device by its serial number, of any account.
-- params: serial text
-- row: device
-- effect: read
SELECT {device}
FROM device
WHERE serial = :serial
