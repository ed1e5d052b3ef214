-- Lists the sessions of an account, the last used first; at most 100.
-- params: account_id uuid, current_id uuid, idle_s int4, life_s int4, lasting_s int4
-- row: session_entry
SELECT id, created_at, last_used_at, address, user_agent, name, is_lasting, id = :current_id AS is_current
FROM session
WHERE account_id = :account_id
	AND session_holds(is_lasting, created_at, last_used_at, :idle_s, :life_s, :lasting_s)
ORDER BY last_used_at DESC, id
LIMIT 100
