-- Makes an invitation; those that have expired go. No row: there are too many.
-- params: id uuid, email text?, is_reviewer bool, is_administrator bool, secret_hash bytea,
--   life_s int4, actor_id uuid, address text
-- row: expires_at timestamptz
-- effect: write
WITH expired AS (
	DELETE FROM account_link
	WHERE kind = 'invitation' AND expires_at < present_time()
), fresh AS (
	INSERT INTO account_link (id, kind, secret_hash, email, is_reviewer, is_administrator, expires_at)
	SELECT :id, 'invitation', :secret_hash, :email, :is_reviewer, :is_administrator,
		present_time() + :life_s * interval '1 second'
	WHERE (
		SELECT count(*)
		FROM account_link
		WHERE kind = 'invitation' AND expires_at > present_time()) < 100
	RETURNING email, expires_at
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address)
	SELECT account.id, account.email, 'invitation.create', fresh.email, :address
	FROM fresh
	JOIN account ON account.id = :actor_id
)
SELECT expires_at
FROM fresh
