-- Gives a device a second key, and orders its panel to restart and to use it from then on. The parameter url is
-- the start of its new URL; NULL: the instance's. A move
-- under way keeps its key: the panel may have stored that already. No row: the device is gone, or
-- has no alias and no URL is given.
-- params: id uuid, second_key_hash bytea, order_key bytea, url text?
-- row: generation int8
UPDATE device
SET second_key_hash = coalesce(second_key_hash, :second_key_hash),
	order_key = coalesce(order_key, :order_key),
	order_url = :url,
	order_generation = generation + 1,
	ordered_at = present_time(),
	generation = generation + 1
WHERE id = :id AND (alias IS NOT NULL OR :url IS NOT NULL)
RETURNING generation
