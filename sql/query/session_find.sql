-- The session with this secret and its account, unless the session was idle for too long or is too
-- old, or the account is being removed: a session may have begun while the account was closed.
-- is_due: the use is to be noted again.
-- params: secret_hash bytea, idle_s int4, life_s int4
-- row: session_id uuid, person, is_due bool
SELECT session.id AS session_id, account.{person},
	session.last_used_at < present_time() - interval '1 minute' AS is_due
FROM session
JOIN account ON account.id = session.account_id
WHERE session.secret_hash = :secret_hash
	AND session.last_used_at > present_time() - :idle_s * interval '1 second'
	AND account.closed_at IS NULL
	AND session.created_at > present_time() - :life_s * interval '1 second'
