-- A part of the apps that an account can install (see app_list): at most so many after a list
-- position.
-- params: account_id uuid, with_broken bool, after_name text, after_id uuid, row_limit int8
-- row: app_listed
-- effect: read
-- work: bounded
WITH listed AS (
	SELECT *
	FROM (
		(
			SELECT name COLLATE "C" AS key, id, account_id, name, description, author,
				deployed_version_id, collection_id, category, tags, broken_reason
			FROM app
			WHERE status = 'active' AND visibility <> 'private'
				AND deployed_version_id IS NOT NULL
				AND (:with_broken OR broken_reason IS NULL)
				AND (name COLLATE "C", id) > (:after_name, :after_id)
			ORDER BY name COLLATE "C", id
			LIMIT :row_limit
		) UNION ALL (
			SELECT name COLLATE "C" AS key, id, account_id, name, description, author,
				deployed_version_id, collection_id, category, tags, broken_reason
			FROM app
			WHERE account_id = :account_id AND status = 'active' AND visibility = 'private'
				AND deployed_version_id IS NOT NULL
				AND (:with_broken OR broken_reason IS NULL)
				AND (name COLLATE "C", id) > (:after_name, :after_id)
			ORDER BY name COLLATE "C", id
			LIMIT :row_limit
		)
	) AS either
	ORDER BY key, id
	LIMIT :row_limit
)
SELECT listed.id, listed.name, listed.description,
	(SELECT name FROM app_version WHERE id = listed.deployed_version_id) AS version,
	coalesce(listed.author, (SELECT name FROM account WHERE id = listed.account_id))
		AS author_name,
	(SELECT name FROM app_collection WHERE id = listed.collection_id) AS collection,
	nullif(listed.category, '') AS category, nullif(listed.tags, '[]') AS tags,
	listed.broken_reason
FROM listed
ORDER BY listed.key, listed.id
