-- Finds the sessions, among these, that have not ended, see session_find; with the roles of their
-- accounts.
-- params: ids uuid[], idle_s int4, life_s int4
-- row: id uuid, is_reviewer bool, is_administrator bool
SELECT session.id, account.is_reviewer, account.is_administrator
FROM session
JOIN account ON account.id = session.account_id
WHERE session.id = ANY (:ids)
	AND session.last_used_at > present_time() - :idle_s * interval '1 second'
	AND account.closed_at IS NULL
	AND session.created_at > present_time() - :life_s * interval '1 second'
