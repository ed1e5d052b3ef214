-- The app that an entry of a tronbyt server means, among those that the account can install: by its slug, by the
-- folder or the file of its script, by its name. Accounts of before December 2025 have the app's name where others
-- have its slug, and those who made an app themselves its folder. An account's own app comes first, then one of this
-- server, then one of the collection that was added first. No row: there is none.
-- params: account_id uuid, name text, folder text, file text
-- row: app_id uuid
SELECT app.id AS app_id
FROM (
	SELECT 1 AS rank, id FROM app WHERE slug = lower(:name)
	UNION ALL
	SELECT 2, id FROM app WHERE app_letters(slug) = app_letters(:folder)
	UNION ALL
	SELECT 3, id FROM app WHERE app_letters(slug) = app_letters(:file)
	UNION ALL
	SELECT 4, id FROM app WHERE lower(name) = lower(:name)
	UNION ALL
	SELECT 5, id FROM app WHERE app_letters(slug) = app_letters(:name)
) AS found
JOIN app ON app.id = found.id
LEFT JOIN app_collection ON app_collection.id = app.collection_id
WHERE app.status = 'active' AND app.deployed_version_id IS NOT NULL AND NOT app.is_removed
	AND (app.visibility <> 'private' OR app.account_id = :account_id)
ORDER BY found.rank, app.account_id IS NOT DISTINCT FROM :account_id DESC, app.collection_id IS NOT NULL,
	app_collection.number, app.id
LIMIT 1
