-- Changes the name, roles, the limit and the mark for local addresses of an account. No row: the
-- account was removed, or the actor is no longer an administrator. by_operator: the audit log names
-- displayctl as the actor.
-- params: id uuid, change member_update, by_operator bool, actor_id uuid, address text, session_id uuid
-- row: member
-- refuse: last_administrator -> last_administrator
WITH locked AS (
	-- Lock in order of ID: two administrators may change each other.
	SELECT id, is_administrator AND closed_at IS NULL AS is_maker
	FROM account
	WHERE id IN (:id, :actor_id)
	ORDER BY id
	FOR NO KEY UPDATE
), maker AS (
	-- A demoted administrator changes no account.
	SELECT id
	FROM locked
	WHERE id = :actor_id AND is_maker
), old AS (
	SELECT name, is_reviewer, is_administrator, byte_limit, reaches_local
	FROM account
	WHERE id = :id
), changed AS (
	UPDATE account
	SET {change}
	WHERE id = :id AND closed_at IS NULL AND (:by_operator OR EXISTS (SELECT FROM maker))
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), deed.action,
		changed.email || ':' || deed.told, :address, :session_id
	FROM old
	CROSS JOIN changed
	LEFT JOIN account ON account.id = :actor_id
	CROSS JOIN LATERAL (
		VALUES ('account.roles',
				CASE WHEN changed.is_reviewer THEN ' reviewer' ELSE '' END
				|| CASE WHEN changed.is_administrator THEN ' administrator' ELSE '' END,
				(changed.name, changed.byte_limit, changed.reaches_local)
					= (old.name, old.byte_limit, old.reaches_local)
				OR (changed.is_reviewer, changed.is_administrator)
					<> (old.is_reviewer, old.is_administrator)),
			('account.limit',
				CASE changed.byte_limit WHEN 0 THEN ' default'
					ELSE ' ' || changed.byte_limit || ' bytes' END,
				changed.byte_limit <> old.byte_limit),
			('account.previews',
				CASE WHEN changed.reaches_local THEN ' local' ELSE ' public' END,
				changed.reaches_local <> old.reaches_local),
			('account.rename', ' ' || changed.name, changed.name <> old.name)
	) AS deed (action, told, is_done)
	WHERE deed.is_done
)
SELECT changed.{person}, changed.last_sign_in_at,
	changed.id IS NOT DISTINCT FROM (SELECT heir_id FROM site WHERE is_it) AS is_heir,
	changed.device_count::int8 AS devices, changed.key_count::int8 AS keys,
	changed.owned_app_count AS apps,
	account_bytes(changed.id) AS bytes,
	bytes_allowed(changed.byte_limit, changed.device_count) AS bytes_allowed, changed.byte_limit,
	changed.reaches_local
FROM changed
