-- An administrator ends all sessions of an account. No row: there is no such account.
-- params: account_id uuid, actor_id uuid, address text, session_id uuid
-- row: id uuid
WITH member AS (
	SELECT id, email
	FROM account
	WHERE id = :account_id
), ended AS (
	DELETE FROM session
	USING member
	WHERE session.account_id = member.id
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT actor.id, actor.email, 'session.end', member.email, :address, :session_id
	FROM member, account AS actor
	WHERE actor.id = :actor_id
)
SELECT id
FROM member
