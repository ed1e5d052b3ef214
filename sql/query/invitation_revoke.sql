-- Withdraws an invitation.
-- params: id uuid, actor_id uuid, address text, session_id uuid
-- row: id uuid
WITH revoked AS (
	DELETE FROM account_link
	WHERE id = :id AND kind = 'invitation'
	RETURNING id, email
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'invitation.revoke', revoked.email, :address, :session_id
	FROM revoked
	JOIN account ON account.id = :actor_id
)
SELECT id
FROM revoked
