-- Asks for the releases, unless they are being fetched.
-- params: actor_id uuid, address text, session_id uuid
-- row: firmware_releases
WITH asked AS (
	UPDATE firmware_releases
	SET state = CASE WHEN releases_url = '' THEN 'failed' ELSE 'waiting' END,
		problem = CASE WHEN releases_url = '' THEN 'the server has no address of releases' END,
		asked_at = present_time(),
		ended_at = CASE WHEN releases_url = '' THEN present_time() END,
		by_operator = NOT EXISTS (SELECT FROM account WHERE id = :actor_id),
		actor_id = :actor_id, address = :address, session_id = :session_id,
		lease = NULL, leased_until = '-infinity', tries = 0, step = NULL, bytes = 0, size_bytes = NULL, images = '[]'
	WHERE is_it AND state NOT IN ('waiting', 'fetching')
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), 'firmware.fetch', left(asked.releases_url, 200), :address,
		:session_id
	FROM asked
	LEFT JOIN account ON account.id = :actor_id
)
SELECT {firmware_releases}
FROM (
	SELECT * FROM asked
	UNION ALL
	SELECT * FROM firmware_releases WHERE is_it AND NOT EXISTS (SELECT FROM asked)
) AS firmware_releases
