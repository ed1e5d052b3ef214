-- The session with this secret and its account, unless the session was idle for too long or is too
-- old, or the account is being removed: a session may have begun while the account was closed.
-- is_due: the use is to be noted again.
-- params: secret_hash bytea, idle_s int4, life_s int4, lasting_s int4
-- row: session_id uuid, person, is_due bool, is_lasting bool
SELECT session.id AS session_id, account.{person},
	session.last_used_at < present_time() - interval '1 minute' AS is_due, session.is_lasting
FROM session
JOIN account ON account.id = session.account_id
WHERE session.secret_hash = :secret_hash
	AND account.closed_at IS NULL
	AND session_holds(session.is_lasting, session.created_at, session.last_used_at, :idle_s, :life_s, :lasting_s)
