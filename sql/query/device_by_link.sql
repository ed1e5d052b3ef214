-- The device with this link key and this serial number or MAC address: a panel's account is not
-- known, so key and number select together. An address that only the panel reports counts if no
-- device of its account is registered with it. Keys are random: more than one row is a copy made by
-- hand, and the oldest counts.
-- params: link_key_hash bytea, serial text?, mac macaddr?
-- row: id uuid
SELECT id
FROM device
WHERE link_key_hash = :link_key_hash AND (serial = :serial OR mac = :mac OR told_mac = :mac
	AND NOT EXISTS (
		SELECT
		FROM device AS registered
		WHERE registered.mac = :mac AND registered.account_id = device.account_id))
ORDER BY created_at, id
LIMIT 1
