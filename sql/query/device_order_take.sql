-- Takes the order for a device's panel, which only the caller sends then. The second key stays
-- until the panel has used it. No row: another worker has taken it, or it has lapsed.
-- params: id uuid, order_generation int8
-- row: order_key bytea?, order_url text?
UPDATE device
SET order_generation = NULL
WHERE id = :id AND order_generation = :order_generation AND is_order_due(ordered_at)
RETURNING order_key, order_url
