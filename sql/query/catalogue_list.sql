-- The apps that an account can install (see app_list). search: those whose name, slug, summary, author, category or
-- tags have a text, the best first: the key begins with where it is, as a word's beginning before the middle of one. If
-- none has it, those with a word in the name that is spelled like it, by its trigrams, and by its letters, since a
-- swapped pair leaves few trigrams. with_broken: also those that are broken. category: only those; empty: all. view:
-- newest or updated, the latest app or version first; installed: only those that the account's devices show.
-- params: account_id uuid, with_broken bool, wanted text, category text, view text
-- row: catalogue_app, key text
-- search: grows with apps and accounts
-- list: key COLLATE "C", id
WITH {search: wish AS MATERIALIZED (
	SELECT text, '\m' || regexp_replace(text, '([^[:alnum:][:space:]])', '\\\1', 'g') AS word,
		ARRAY (
			SELECT substr('  ' || part || ' ', n, 3)
			FROM regexp_split_to_table(text, '[^[:alnum:]]+') AS part
			CROSS JOIN generate_series(1, length(part) + 1) AS n
			WHERE part <> ''
		) AS trigrams,
		regexp_replace(text, '[^[:alnum:]]+', '', 'g') AS letters
	FROM lower(btrim(:wanted)) AS text
), ranked AS MATERIALIZED (
	SELECT app.id,
		CASE WHEN :view = 'newest' THEN latest_first(app.created_at)
			WHEN :view = 'updated' THEN latest_first((SELECT created_at FROM app_version WHERE id = app.deployed_version_id))
			WHEN lower(app.name) = wish.text THEN '0'
			WHEN starts_with(lower(app.name), wish.text) THEN '1'
			WHEN app.name ~* wish.word THEN '2'
			WHEN concat_ws(' ', app.slug, app.category, app.tags, coalesce(app.author, account.name)) ~* wish.word THEN '3'
			WHEN app.description ~* wish.word THEN '4'
			WHEN position(wish.text IN lower(app.name)) > 0 THEN '5'
			ELSE '6' END AS rank
	FROM wish
	CROSS JOIN app
	LEFT JOIN account ON account.id = app.account_id
	WHERE app.status = 'active' AND (app.visibility <> 'private' OR app.account_id = :account_id)
		AND (:with_broken OR app.broken_reason IS NULL)
		AND (:category = '' OR app.category = :category)
		AND (:view <> 'installed' OR EXISTS (
			SELECT
			FROM device
			JOIN installation ON installation.device_id = device.id
			WHERE device.account_id = :account_id AND installation.app_id = app.id))
		AND (position(wish.text IN app.search_text) > 0
			OR (app.author IS NULL AND position(wish.text IN account.search_name) > 0))
), alike AS MATERIALIZED (
	SELECT app.id, to_char(9 - max(likeness.score), 'FM0.000') AS rank
	FROM wish
	CROSS JOIN app
	CROSS JOIN regexp_split_to_table(lower(app.name), '[^[:alnum:]]+') AS part
	CROSS JOIN LATERAL (
		SELECT (count(*) FILTER (WHERE substr('  ' || part || ' ', n, 3) = ANY (wish.trigrams)))::float8
				/ greatest(cardinality(wish.trigrams), length(part) + 1)
			+ (count(*) FILTER (WHERE n <= length(part) AND position(substr(part, n, 1) IN wish.letters) > 0))::float8
				/ greatest(length(wish.letters), length(part)) AS score
		FROM generate_series(1, length(part) + 1) AS n
	) AS likeness
	WHERE NOT EXISTS (SELECT FROM ranked) AND :category = '' AND :view = ''
		AND app.status = 'active' AND (app.visibility <> 'private' OR app.account_id = :account_id)
		AND (:with_broken OR app.broken_reason IS NULL) AND part <> '' AND wish.letters <> ''
		-- A much shorter word cannot be like it, whatever its letters.
		AND (length(part) + 1)::float8 / greatest(cardinality(wish.trigrams), length(part) + 1)
			+ length(part)::float8 / greatest(length(wish.letters), length(part)) >= 1
	GROUP BY app.id
	HAVING max(likeness.score) >= 1
), fit AS MATERIALIZED (
	SELECT id, rank
	FROM ranked
	UNION ALL
	SELECT id, rank
	FROM alike
),} installable AS NOT MATERIALIZED (
	SELECT {search: fit.rank ||} app.name COLLATE "C" AS key, app.*
	FROM app
	{search: JOIN fit ON fit.id = app.id}
	WHERE app.status = 'active' AND app.deployed_version_id IS NOT NULL AND (:with_broken OR app.broken_reason IS NULL)
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
	app_still(listed.deployed_version_id, listed.id) AS still,
	app_hosts(listed.id) AS hosts,
	(SELECT name FROM app_collection WHERE id = listed.collection_id) AS collection,
	nullif(listed.category, '') AS category, nullif(listed.tags, '[]') AS tags,
	listed.broken_reason, listed.key
FROM listed
ORDER BY listed.key COLLATE "C", listed.id
