-- The account behind an API key that was not revoked.
-- params: secret_hash bytea
-- row: account_id uuid
-- effect: read
SELECT account_id
FROM api_key
WHERE secret_hash = :secret_hash AND revoked_at IS NULL
