-- Changes roles of an account, unless its owner has removed it.
-- params: id uuid, change member_update, actor_id uuid, address text, session_id uuid
-- row: member
-- effect: write
-- work: bounded
-- refuse: last_administrator -> last_administrator
WITH changed AS (
	UPDATE account
	SET {change}
	WHERE id = :id AND closed_at IS NULL
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'account.roles',
		concat_ws(' ', changed.email || ':', CASE WHEN changed.is_reviewer THEN 'reviewer' END,
			CASE WHEN changed.is_administrator THEN 'administrator' END),
		:address, :session_id
	FROM changed
	JOIN account ON account.id = :actor_id
)
SELECT changed.{person}, changed.last_sign_in_at,
	changed.id IS NOT DISTINCT FROM (SELECT heir_id FROM site WHERE is_it) AS is_heir,
	changed.device_count::int8 AS devices, changed.owned_app_count AS apps
FROM changed
