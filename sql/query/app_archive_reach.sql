-- Hosts that a new script of an app names and the deployed one does not, as a list; and whether it asks for more
-- secrets. No row: the app has no deployed version.
-- params: collection_id uuid, slug text, script text
-- row: hosts text, asks_secret bool
SELECT coalesce((
	SELECT string_agg(host, ', ' ORDER BY host)
	FROM (
		SELECT DISTINCT lower(found[1]) AS host
		FROM regexp_matches(:script, 'https?://([A-Za-z0-9.-]+)', 'g') AS found
		EXCEPT
		SELECT lower(found[1])
		FROM regexp_matches(app_version.script_content, 'https?://([A-Za-z0-9.-]+)', 'g') AS found
		LIMIT 10
	) AS fresh), '') AS hosts,
	(SELECT count(*) FROM regexp_matches(:script, 'secret["'']?\s*[=:]\s*true', 'gi'))
		> (SELECT count(*) FROM regexp_matches(app_version.script_content, 'secret["'']?\s*[=:]\s*true', 'gi')) AS asks_secret
FROM app
JOIN app_version ON app_version.id = app.deployed_version_id
WHERE app.collection_id = :collection_id AND app.slug = :slug
