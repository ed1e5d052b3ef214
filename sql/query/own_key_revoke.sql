-- Revokes an API key of an account. No row: it has none that is not revoked with this ID.
-- params: account_id uuid, id uuid, address text
-- row: secret_hash bytea
-- effect: write
WITH revoked AS (
	UPDATE api_key
	SET revoked_at = clock_timestamp()
	WHERE id = :id AND account_id = :account_id AND revoked_at IS NULL
	RETURNING account_id, name, secret_hash
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address)
	SELECT account.id, account.email, 'key.revoke', revoked.name, :address
	FROM revoked
	JOIN account ON account.id = revoked.account_id
)
SELECT secret_hash
FROM revoked
