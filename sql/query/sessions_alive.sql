-- Finds the sessions, among these, that have not ended, see session_find; with the roles of their
-- accounts.
-- params: ids uuid[], idle_s int4, life_s int4, lasting_s int4
-- row: id uuid, is_reviewer bool, is_administrator bool
SELECT session.id, account.is_reviewer, account.is_administrator
FROM session
JOIN account ON account.id = session.account_id
WHERE session.id = ANY (:ids)
	AND account.closed_at IS NULL
	AND session_holds(session.is_lasting, session.created_at, session.last_used_at, :idle_s, :life_s, :lasting_s)
