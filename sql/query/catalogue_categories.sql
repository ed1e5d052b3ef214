-- The categories of the apps that an account can install (see app_list), and how many each has. with_broken: also those
-- that are broken.
-- params: account_id uuid, with_broken bool
-- row: category
-- work: grows with apps
SELECT category AS name, count(*)::int4 AS apps
FROM app
WHERE status = 'active' AND deployed_version_id IS NOT NULL AND category <> ''
	AND (visibility <> 'private' OR account_id = :account_id)
	AND (:with_broken OR broken_reason IS NULL)
GROUP BY category
ORDER BY count(*) DESC, category COLLATE "C"
LIMIT 100
