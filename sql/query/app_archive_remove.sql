-- Removes a collection that is fetched; its apps stay. No row: there is none with this ID.
-- params: id uuid, actor_id uuid, address text, session_id uuid
-- row: id uuid
WITH removed AS (
	DELETE FROM app_archive
	WHERE id = :id
	RETURNING id, url
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), 'collection.remove',
		left(removed.url, 200), :address, :session_id
	FROM removed
	LEFT JOIN account ON account.id = :actor_id
)
SELECT id
FROM removed
