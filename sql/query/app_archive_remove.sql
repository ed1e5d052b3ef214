-- Removes a collection that is fetched. The apps of one for all stay; those of an account's own one go, unless a device
-- shows them: app_removed_next continues. No row: there is none with this ID.
-- params: id uuid, account_id uuid, by_operator bool, address text?, session_id uuid
-- row: id uuid, account_id uuid, is_for_all bool
WITH removed AS (
	DELETE FROM app_archive
	WHERE id = :id AND app_archive_opens(:account_id, :by_operator, account_id, is_for_all)
	RETURNING id, account_id, url, is_for_all
), marked AS (
	UPDATE app
	SET is_removed = true, status = 'disabled', deployed_version_id = NULL, generation = generation + 1,
		slug = 'removed-' || gen_random_uuid()
	FROM removed
	WHERE app.collection_id = removed.id AND app.account_id = removed.account_id AND NOT app.is_removed
		AND NOT removed.is_for_all
		AND NOT EXISTS (SELECT FROM installation WHERE installation.app_id = app.id)
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), 'collection.remove',
		left(removed.url, 200), :address, :session_id
	FROM removed
	LEFT JOIN account ON account.id = :account_id AND NOT :by_operator
)
SELECT id, account_id, is_for_all
FROM removed
