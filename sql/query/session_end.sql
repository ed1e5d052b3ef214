-- Ends a session of an account.
-- params: account_id uuid, id uuid, address text, session_id uuid
-- row: id uuid
WITH ended AS (
	DELETE FROM session
	WHERE id = :id AND account_id = :account_id
	RETURNING id, account_id, user_agent
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'session.end', ended.user_agent, :address, :session_id
	FROM ended
	JOIN account ON account.id = ended.account_id
)
SELECT id
FROM ended
