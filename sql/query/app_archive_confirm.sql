-- Confirms what waits of a collection, which is then fetched again. What has changed there
-- since is held again. No row: there is no collection with this ID.
-- params: id uuid, account_id uuid, by_operator bool, address text?, session_id uuid
-- row: app_archive
WITH confirmed AS (
	UPDATE app_archive
	SET state = 'waiting', asked_at = present_time(), tries = 0, lease = NULL, leased_until = '-infinity',
		confirmed_tree = held_tree, held_tree = NULL
	WHERE id = :id AND app_archive_opens(:account_id, :by_operator, account_id, is_for_all)
		AND state NOT IN ('waiting', 'fetching') AND held_tree IS NOT NULL
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), 'collection.confirm',
		left(confirmed.url, 200), :address,
		:session_id
	FROM confirmed
	LEFT JOIN account ON account.id = :account_id AND NOT :by_operator
)
SELECT {app_archive}
FROM (
	SELECT * FROM confirmed
	UNION ALL
	SELECT * FROM app_archive WHERE id = :id AND app_archive_opens(:account_id, :by_operator, account_id, is_for_all)
		AND NOT EXISTS (SELECT FROM confirmed)
) AS app_archive
