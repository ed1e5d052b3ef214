-- The panel of a device has come with its second key: that is the device's key from now on, and its alias ends, and
-- an order too, since it has just started. No row: it is so already.
-- params: id uuid, second_key_hash bytea
-- row: generation int8
-- effect: write
-- work: bounded
UPDATE device
SET link_key_hash = second_key_hash,
	second_key_hash = NULL,
	order_key = NULL,
	order_generation = NULL,
	alias = NULL,
	alias_key_hash = NULL,
	generation = generation + 1
WHERE id = :id AND second_key_hash = :second_key_hash
RETURNING generation
