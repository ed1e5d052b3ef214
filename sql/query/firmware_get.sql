-- Firmware of a device's panel. No row: the device is gone.
-- params: id uuid
-- row: firmware
SELECT {firmware}
FROM device_firmware
WHERE device_id = :id
