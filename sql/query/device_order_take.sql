-- Takes the order for a device's panel, which only the caller sends then. The second key stays until
-- the panel has used it. image_id: of the firmware that it is to fetch. No row: another worker has
-- taken it, or it has lapsed.
-- params: id uuid, order_generation int8
-- row: order_key bytea?, order_url text?, image_id uuid?
WITH taken AS (
	UPDATE device
	SET order_generation = NULL
	WHERE id = :id AND order_generation = :order_generation AND is_order_due(ordered_at)
	RETURNING id, order_key, order_url
), sent AS (
	UPDATE firmware_update AS started
	SET sent_at = present_time()
	FROM taken
	WHERE started.device_id = taken.id AND started.sent_at IS NULL AND is_order_due(started.asked_at)
		AND started.done_at IS NULL
	RETURNING started.image_id
)
SELECT taken.order_key, taken.order_url, sent.image_id
FROM taken
LEFT JOIN sent ON true
