-- The apps that an account can install (see app_list). search: those whose name, slug, summary, author, category or tags
-- have a text, the best first: the key begins with where it is, as a word's beginning before the middle of one.
-- with_broken: also those that are broken.
-- params: account_id uuid, with_broken bool, wanted text
-- row: catalogue_app, key text
-- search: grows with apps and accounts
-- list: key COLLATE "C", id
WITH installable AS NOT MATERIALIZED (
	SELECT {search: (
			SELECT CASE WHEN lower(app.name) = lower(:wanted) THEN '0'
				WHEN starts_with(lower(app.name), lower(:wanted)) THEN '1'
				WHEN app.name ~* word THEN '2'
				WHEN concat_ws(' ', app.slug, app.category, app.tags, coalesce(app.author,
					(SELECT name FROM account WHERE id = app.account_id))) ~* word THEN '3'
				WHEN app.description ~* word THEN '4'
				WHEN position(lower(:wanted) IN lower(app.name)) > 0 THEN '5'
				ELSE '6' END
			FROM (SELECT '\m' || regexp_replace(:wanted, '([^[:alnum:][:space:]])', '\\\1', 'g') AS word) AS wish
		) ||}
		app.name COLLATE "C" AS key, app.*
	FROM app
	WHERE status = 'active' AND deployed_version_id IS NOT NULL AND (:with_broken OR broken_reason IS NULL)
		{search: AND (position((SELECT lower(:wanted)) IN search_text) > 0
			OR (author IS NULL AND position((SELECT lower(:wanted))
				IN (SELECT search_name FROM account WHERE id = app.account_id)) > 0))}
), listed AS (
	SELECT *
	FROM (
		(
			SELECT *
			FROM installable
			WHERE visibility <> 'private' AND {after}
			{order}
		) UNION ALL (
			SELECT *
			FROM installable
			WHERE account_id = :account_id AND visibility = 'private' AND {after}
			{order}
		)
	) AS either
	ORDER BY key COLLATE "C", id
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
	listed.broken_reason, listed.key
FROM listed
ORDER BY listed.key COLLATE "C", listed.id
