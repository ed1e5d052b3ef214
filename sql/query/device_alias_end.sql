-- Ends the alias of a device, and an order that would move its panel from it. A second key stays: a
-- panel that was sent it, and is just restarting, will use it. No row: the device is gone, or has
-- no alias.
-- params: id uuid
-- row: generation int8
UPDATE device
SET alias = NULL,
	alias_key_hash = NULL,
	alias_is_guessable = false,
	alias_is_open = false,
	order_generation = CASE WHEN order_key IS NULL THEN order_generation END,
	generation = generation + 1
WHERE id = :id AND alias IS NOT NULL
RETURNING generation
