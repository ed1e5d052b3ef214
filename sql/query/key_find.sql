-- An API key that was not revoked, and the account behind it.
-- params: secret_hash bytea
-- row: id uuid, account_id uuid
-- effect: read
SELECT id, account_id
FROM api_key
WHERE secret_hash = :secret_hash AND revoked_at IS NULL
