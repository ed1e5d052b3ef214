-- Sets what an account may store, 0: the default; and counts what its devices show anew, which an earlier
-- program may have left wrong. No row: there is no such account.
-- params: email text, byte_limit int8
-- row: owner_row
-- effect: write
-- work: grows with the account's pictures
WITH changed AS (
	UPDATE account
	SET byte_limit = :byte_limit
	WHERE lower(email) = lower(:email)
	RETURNING *
), locked AS (
	SELECT device.id
	FROM changed
	JOIN device ON device.account_id = changed.id
	FOR NO KEY UPDATE OF device
), anew AS MATERIALIZED (
	SELECT id, pushed_bytes(id) AS bytes
	FROM locked
), counted AS (
	UPDATE device
	SET picture_bytes = anew.bytes
	FROM anew
	WHERE device.id = anew.id AND device.picture_bytes <> anew.bytes
	RETURNING device.id, device.picture_bytes
), audited AS (
	INSERT INTO audit_entry (actor, action, target)
	SELECT 'displayctl', 'account.limit', email || ': ' || CASE byte_limit
			WHEN 0 THEN 'default' ELSE byte_limit || ' bytes' END
	FROM changed
), told AS (
	SELECT pg_notify('displayd_hint',
		'changed:' || id || ':account changed:00000000-0000-0000-0000-000000000000:admin')
	FROM changed
)
SELECT changed.id, changed.email, changed.name, changed.created_at,
	(SELECT count(*) FROM device WHERE device.account_id = changed.id) AS devices,
	(SELECT count(*) FROM api_key WHERE api_key.account_id = changed.id AND revoked_at IS NULL)
		AS keys,
	(SELECT count(*) FROM app WHERE app.account_id = changed.id) AS apps,
	account_bytes(changed.id) + coalesce((
		SELECT sum(counted.picture_bytes - device.picture_bytes)
		FROM counted
		JOIN device ON device.id = counted.id), 0)::int8 AS bytes,
	bytes_allowed(changed.byte_limit, changed.device_count) AS bytes_allowed,
	changed.is_reviewer, changed.is_administrator, changed.reaches_local
FROM changed, told
