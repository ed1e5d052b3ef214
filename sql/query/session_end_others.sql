-- Ends all sessions of an account but one.
-- params: account_id uuid, id uuid, address text, session_id uuid
WITH ended AS (
	DELETE FROM session
	WHERE account_id = :account_id AND id <> :id
	RETURNING account_id, user_agent
)
INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
SELECT account.id, account.email, 'session.end', ended.user_agent, :address, :session_id
FROM ended
JOIN account ON account.id = ended.account_id
