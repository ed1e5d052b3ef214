-- Where releases of firmware are, and what came of the last fetch.
-- row: firmware_releases
SELECT {firmware_releases}
FROM firmware_releases
WHERE is_it
