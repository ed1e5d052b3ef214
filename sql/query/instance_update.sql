-- Opens or closes the addresses of --egress-allow to apps. No row: the actor is no administrator
-- any more.
-- params: apps_reach_local bool, actor_id uuid, address text, session_id uuid
-- row: apps_reach_local bool
WITH old AS (
	SELECT apps_reach_local
	FROM site
	WHERE is_it
), changed AS (
	UPDATE site
	SET apps_reach_local = :apps_reach_local
	WHERE is_it AND EXISTS (
		SELECT FROM account WHERE id = :actor_id AND is_administrator AND closed_at IS NULL)
	RETURNING apps_reach_local
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'instance.network',
		CASE WHEN changed.apps_reach_local THEN 'local' ELSE 'public' END, :address, :session_id
	FROM old
	CROSS JOIN changed
	JOIN account ON account.id = :actor_id
	WHERE changed.apps_reach_local <> old.apps_reach_local
)
SELECT apps_reach_local
FROM changed
