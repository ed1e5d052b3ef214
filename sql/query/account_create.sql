-- Makes an account that has no password: a link sets one. No row: the administrator who makes it is
-- none any more. by_operator: the log names displayctl.
-- params: id uuid, email text, name text, by_operator bool, actor_id uuid, address text, session_id uuid
-- row: member
-- refuse: account_email_unique -> email_taken
WITH maker AS (
	SELECT id, email
	FROM account
	WHERE id = :actor_id AND is_administrator AND closed_at IS NULL
	FOR SHARE
), fresh AS (
	INSERT INTO account (id, email, name)
	SELECT :id, :email, :name
	WHERE :by_operator OR EXISTS (SELECT FROM maker)
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT maker.id, coalesce(maker.email, 'displayctl'), 'account.create', fresh.email, :address,
		:session_id
	FROM fresh
	LEFT JOIN maker ON true
)
SELECT fresh.{person}, fresh.last_sign_in_at, false AS is_heir, fresh.device_count::int8 AS devices,
	fresh.key_count::int8 AS keys, fresh.owned_app_count AS apps, 0::int8 AS bytes,
	bytes_allowed(fresh.byte_limit, fresh.device_count) AS bytes_allowed, fresh.byte_limit,
	fresh.reaches_local
FROM fresh
