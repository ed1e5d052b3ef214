-- The apps that an account can install: active apps with a deployed version, all public ones and
-- its own private ones. Both are read in their order. with_broken: also those that are broken.
-- params: account_id uuid, with_broken bool
-- row: app_listed
-- list: name COLLATE "C", id
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
				AND {after}
			{order}
		) UNION ALL (
			SELECT name COLLATE "C" AS key, id, account_id, name, description, author,
				deployed_version_id, collection_id, category, tags, broken_reason
			FROM app
			WHERE account_id = :account_id AND status = 'active' AND visibility = 'private'
				AND deployed_version_id IS NOT NULL
				AND (:with_broken OR broken_reason IS NULL)
				AND {after}
			{order}
		)
	) AS either
	ORDER BY key, id
	LIMIT {limit}
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
