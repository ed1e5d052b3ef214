-- The panel of a device has used its second key: makes that the device's key, and ends its alias,
-- and an order, since the panel has just started. No row: it was done already.
-- params: id uuid, second_key_hash bytea
-- row: generation int8
UPDATE device
SET link_key_hash = second_key_hash,
	second_key_hash = NULL,
	order_key = NULL,
	order_url = NULL,
	order_generation = NULL,
	alias = NULL,
	alias_key_hash = NULL,
	alias_is_guessable = false,
	alias_is_open = false,
	generation = generation + 1
WHERE id = :id AND second_key_hash = :second_key_hash
RETURNING generation
