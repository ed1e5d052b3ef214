-- Takes the order for a device's panel: the caller sends it, and nobody else. No row: another worker has taken it.
-- params: id uuid, order_generation int8
-- row: order_key bytea?
-- effect: write
-- work: bounded
WITH taken AS (
	SELECT id, order_key
	FROM device
	WHERE id = :id AND order_generation = :order_generation
	FOR NO KEY UPDATE
)
UPDATE device
SET order_generation = NULL, order_key = NULL
FROM taken
WHERE device.id = taken.id
RETURNING taken.order_key
