-- Tells all workers that a version of an app was reviewed: its author's pages, those of reviewers, and
-- where another version was deployed, whoever renders it. generation: of the app; 0: none was.
-- params: id uuid, generation int8
-- row: told int8
-- effect: write
-- work: bounded
SELECT count(pg_notify('displayd_hint', hint)) AS told
FROM app, LATERAL (VALUES
	('changed:00000000-0000-0000-0000-000000000000:reviews'),
	('changed:' || app.account_id || ':app:' || app.slug),
	(CASE WHEN :generation > 0 THEN 'app:' || app.id || ':' || :generation END)) AS hints (hint)
WHERE app.id = :id AND hint IS NOT NULL
