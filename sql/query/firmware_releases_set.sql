-- Sets the address of the list of releases. A fetch that has begun goes on with the old one.
-- params: releases_url text, actor_id uuid, address text, session_id uuid
-- row: firmware_releases
WITH changed AS (
	UPDATE firmware_releases
	SET releases_url = :releases_url
	WHERE is_it
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), 'firmware.source', left(changed.releases_url, 200), :address,
		:session_id
	FROM changed
	LEFT JOIN account ON account.id = :actor_id
)
SELECT {firmware_releases}
FROM changed AS firmware_releases
