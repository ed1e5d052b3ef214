-- The fingerprint of the key for secret settings, if one was written, and whether this session may
-- work with a key. From then on it holds the lock of secret_key_admits().
-- params: fingerprint bytea
-- row: fingerprint bytea?, is_admitted bool
-- effect: write
SELECT secret_key_fingerprint AS fingerprint, secret_key_admits(:fingerprint) AS is_admitted
FROM site
WHERE is_it
