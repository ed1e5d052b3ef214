-- Lists the sessions of an account, the last used first; at most 100.
-- params: account_id uuid, current_id uuid, idle_s int4, life_s int4
-- row: session_entry
SELECT id, created_at, last_used_at, address, user_agent, id = :current_id AS is_current
FROM session
WHERE account_id = :account_id
	AND last_used_at > present_time() - :idle_s * interval '1 second'
	AND created_at > present_time() - :life_s * interval '1 second'
ORDER BY last_used_at DESC, id
LIMIT 100
