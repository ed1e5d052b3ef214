-- Adds a collection, which is then fetched. No row: the account is gone.
-- params: id uuid, account_id uuid, name text, url text, folder text, is_for_all bool, by_operator bool,
--   address text?, session_id uuid
-- row: app_archive
-- refuse: app_archive_all_unique -> collection_exists, app_archive_own_unique -> collection_exists_own,
--   54D04 -> too_many_collections, 28D02 -> not_for_all
WITH owner AS MATERIALIZED (
	SELECT id, email
	FROM account
	WHERE id = :account_id AND closed_at IS NULL AND app_archive_takes(id, :by_operator, :is_for_all)
), added AS (
	INSERT INTO app_archive (id, account_id, name, url, folder, is_for_all)
	SELECT :id, owner.id, :name, :url, :folder, :is_for_all
	FROM owner
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT owner.id, CASE WHEN :by_operator THEN 'displayctl' ELSE owner.email END,
		'collection.add', left(added.url, 200), :address, :session_id
	FROM added
	JOIN owner ON true
)
SELECT {app_archive}
FROM added AS app_archive
