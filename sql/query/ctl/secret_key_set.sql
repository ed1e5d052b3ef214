-- Writes the fingerprint of the key for secret settings. replaces: also if there is another one.
-- params: fingerprint bytea, replaces bool
-- row: is_set bool
UPDATE site
SET secret_key_fingerprint = :fingerprint
WHERE is_it AND (:replaces OR secret_key_fingerprint IS NULL)
RETURNING true AS is_set
