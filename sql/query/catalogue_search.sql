-- The apps that an account can install (see app_list) whose name, slug, summary, author, category
-- or tags have a text, at most so many after a list position.
-- params: account_id uuid, with_broken bool, wanted text, after_name text, after_id uuid, row_limit int8
-- row: catalogue_app
-- effect: read
-- work: grows with apps and accounts
WITH listed AS (
	SELECT app.id, app.account_id, app.slug, app.name, app.description, app.author, app.visibility,
		app.deployed_version_id, app.collection_id, app.category, app.tags, app.broken_reason
	FROM app
	JOIN account ON account.id = app.account_id
	WHERE app.status = 'active' AND (app.visibility <> 'private' OR app.account_id = :account_id)
		AND app.deployed_version_id IS NOT NULL
		AND (:with_broken OR app.broken_reason IS NULL)
		AND (app.name COLLATE "C", app.id) > (:after_name, :after_id)
		AND (position((SELECT lower(:wanted)) IN app.search_text) > 0
			OR (app.author IS NULL
				AND position((SELECT lower(:wanted)) IN account.search_name) > 0))
	ORDER BY app.name COLLATE "C", app.id
	LIMIT :row_limit
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
ORDER BY listed.name COLLATE "C", listed.id
