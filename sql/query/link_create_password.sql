-- Makes a link with which the password of an account is set; its earlier ones end. No row: there is
-- no such account.
-- params: account_id uuid, id uuid, secret_hash bytea, life_s int4, actor_id uuid, address text
-- row: expires_at timestamptz
-- effect: write
WITH chosen AS (
	SELECT id, email
	FROM account
	WHERE id = :account_id AND closed_at IS NULL
	FOR NO KEY UPDATE
), unlinked AS (
	DELETE FROM account_link
	USING chosen
	WHERE account_link.account_id = chosen.id
), fresh AS (
	INSERT INTO account_link (id, kind, secret_hash, account_id, expires_at)
	SELECT :id, 'password', :secret_hash, chosen.id,
		present_time() + :life_s * interval '1 second'
	FROM chosen
	RETURNING expires_at
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address)
	SELECT account.id, account.email, 'link.create', chosen.email, :address
	FROM chosen
	JOIN account ON account.id = :actor_id
)
SELECT expires_at
FROM fresh
