-- Adds a collection, which is then fetched, unless there are 20. One that is there already is
-- fetched again. No row: there are 20, or the account is gone.
-- params: id uuid, account_id uuid, name text, url text, folder text, by_operator bool, address text, session_id uuid
-- row: app_archive
WITH added AS (
	INSERT INTO app_archive (id, account_id, name, url, folder)
	SELECT :id, account.id, :name, :url, :folder
	FROM account
	WHERE account.id = :account_id AND account.closed_at IS NULL
		AND ((SELECT count(*) FROM app_archive) < 20
			OR EXISTS (SELECT FROM app_archive WHERE url = :url AND folder = :folder))
	ON CONFLICT (url, folder) DO UPDATE
	SET state = CASE app_archive.state WHEN 'fetching' THEN 'fetching' ELSE 'waiting' END
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, CASE WHEN :by_operator THEN 'displayctl' ELSE account.email END,
		'collection.add', left(added.url, 200),
		:address, :session_id
	FROM added
	JOIN account ON account.id = added.account_id
)
SELECT {app_archive}
FROM added AS app_archive
