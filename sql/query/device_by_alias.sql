-- The device whose panel uses this former address, with this key or without one. Devices of several accounts may have
-- the same address, if it can be guessed: the key decides.
-- params: alias text, key_hash bytea
-- row: id uuid
SELECT id
FROM device
WHERE alias = :alias AND (alias_key_hash = :key_hash OR alias_key_hash IS NULL AND NOT alias_is_guessable
	OR alias_is_open AND is_only_account(account_id))
ORDER BY alias_key_hash = :key_hash DESC NULLS LAST, id
LIMIT 1
