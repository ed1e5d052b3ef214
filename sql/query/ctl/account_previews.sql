-- Opens to an account's previews of deployed apps what --egress-allow opens, or closes it. No row: there is no
-- such account.
-- params: email text, reaches_local bool
-- row: owner_row
-- effect: write
-- work: bounded
WITH changed AS (
	UPDATE account
	SET reaches_local = :reaches_local
	WHERE lower(email) = lower(:email)
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (actor, action, target)
	SELECT 'displayctl', 'account.previews', email || ': '
		|| CASE WHEN reaches_local THEN 'local' ELSE 'public' END
	FROM changed
), told AS (
	SELECT pg_notify('displayd_hint',
		'changed:' || id || ':account changed:00000000-0000-0000-0000-000000000000:admin')
	FROM changed
)
SELECT changed.id, changed.email, changed.name, changed.created_at,
	changed.device_count::int8 AS devices, changed.key_count::int8 AS keys,
	changed.owned_app_count AS apps, account_bytes(changed.id) AS bytes,
	bytes_allowed(changed.byte_limit, changed.device_count) AS bytes_allowed,
	changed.is_reviewer, changed.is_administrator, changed.reaches_local
FROM changed, told
