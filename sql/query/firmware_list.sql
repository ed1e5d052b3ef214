-- Images of panels' firmware, by board, the newest version first.
-- row: firmware_image
SELECT {firmware_image}
FROM firmware_image
ORDER BY board, firmware_order(version) DESC, created_at DESC
LIMIT 32
