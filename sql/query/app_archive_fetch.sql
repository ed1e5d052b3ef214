-- Asks for a collection to be fetched now, unless it is being fetched. No row: there is none
-- with this ID.
-- params: id uuid, account_id uuid, by_operator bool, address text?, session_id uuid
-- row: app_archive
WITH asked AS (
	UPDATE app_archive
	SET state = 'waiting', asked_at = present_time(), tries = 0, lease = NULL, leased_until = '-infinity'
	WHERE id = :id AND app_archive_opens(:account_id, :by_operator, account_id, is_for_all)
		AND state NOT IN ('waiting', 'fetching')
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), 'collection.update',
		left(asked.url, 200), :address, :session_id
	FROM asked
	LEFT JOIN account ON account.id = :account_id AND NOT :by_operator
)
SELECT {app_archive}
FROM (
	SELECT * FROM asked
	UNION ALL
	SELECT * FROM app_archive WHERE id = :id AND app_archive_opens(:account_id, :by_operator, account_id, is_for_all)
		AND NOT EXISTS (SELECT FROM asked)
) AS app_archive
