-- Disconnects an identity from its account. No row: the account has no such identity.
-- params: account_id uuid, id uuid, address text, session_id uuid
-- row: id uuid
WITH removed AS (
	DELETE FROM account_identity
	WHERE id = :id AND account_id = :account_id
	RETURNING id, account_id, label
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'identity.remove', removed.label, :address, :session_id
	FROM removed
	JOIN account ON account.id = removed.account_id
)
SELECT id
FROM removed
