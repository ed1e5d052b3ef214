-- The address of the releases of firmware, and the result of the last fetch.
-- row: firmware_releases
SELECT {firmware_releases}
FROM firmware_releases
WHERE is_it
