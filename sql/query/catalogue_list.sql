-- The apps that an account can install (see app_list). search: those whose name, slug, summary,
-- author, category or tags have a text. with_broken: also those that are broken.
-- params: account_id uuid, with_broken bool, wanted text
-- row: catalogue_app
-- search: grows with apps and accounts
-- list: name COLLATE "C", id
WITH listed AS (
	SELECT *
	FROM (
		(
			SELECT name COLLATE "C" AS key, id, account_id, slug, name, description, author,
				visibility, deployed_version_id, collection_id, category, tags, broken_reason
			FROM app
			WHERE status = 'active' AND visibility <> 'private'
				AND deployed_version_id IS NOT NULL
				AND (:with_broken OR broken_reason IS NULL)
				AND {after}
				{search: AND (position((SELECT lower(:wanted)) IN search_text) > 0
					OR (author IS NULL AND position((SELECT lower(:wanted))
						IN (SELECT search_name FROM account WHERE id = app.account_id)) > 0))}
			{order}
		) UNION ALL (
			SELECT name COLLATE "C" AS key, id, account_id, slug, name, description, author,
				visibility, deployed_version_id, collection_id, category, tags, broken_reason
			FROM app
			WHERE account_id = :account_id AND status = 'active' AND visibility = 'private'
				AND deployed_version_id IS NOT NULL
				AND (:with_broken OR broken_reason IS NULL)
				AND {after}
				{search: AND (position((SELECT lower(:wanted)) IN search_text) > 0
					OR (author IS NULL AND position((SELECT lower(:wanted))
						IN (SELECT search_name FROM account WHERE id = app.account_id)) > 0))}
			{order}
		)
	) AS either
	ORDER BY key, id
	LIMIT {limit}
)
SELECT listed.id, listed.slug,
	app_path(:account_id, listed.id, listed.slug) AS path, listed.name, listed.description,
	(SELECT name FROM app_version WHERE id = listed.deployed_version_id) AS version,
	coalesce(listed.author, (SELECT name FROM account WHERE id = listed.account_id)) AS author,
	listed.account_id = :account_id AS is_own, listed.visibility = 'private' AS is_private,
	coalesce((SELECT picture_hash FROM app_picture WHERE version_id = listed.deployed_version_id),
		(SELECT picture_hash FROM app_own_picture WHERE app_id = listed.id)) AS picture,
	app_hosts(listed.id) AS hosts,
	(SELECT name FROM app_collection WHERE id = listed.collection_id) AS collection,
	nullif(listed.category, '') AS category, nullif(listed.tags, '[]') AS tags,
	listed.broken_reason
FROM listed
ORDER BY listed.key, listed.id
