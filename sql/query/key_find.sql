-- An API key that was not revoked, and the account behind it, unless its owner has removed that.
-- params: secret_hash bytea
-- row: id uuid, account_id uuid
-- effect: read
-- work: bounded
SELECT api_key.id, api_key.account_id
FROM api_key
JOIN account ON account.id = api_key.account_id
WHERE api_key.secret_hash = :secret_hash AND api_key.revoked_at IS NULL
	AND account.closed_at IS NULL
