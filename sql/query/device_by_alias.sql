-- The device whose panel uses this former address, with this key or without one.
-- params: alias text, key_hash bytea
-- row: id uuid
-- effect: read
-- work: bounded
SELECT id
FROM device
WHERE alias = :alias AND (alias_key_hash IS NULL OR alias_key_hash = :key_hash)
