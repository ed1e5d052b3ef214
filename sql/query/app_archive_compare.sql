-- Counts the apps of a collection that an account imported, and those that have left it, whose
-- origins are not among these lines. The column gone has the IDs of the latter.
-- params: collection_id uuid, account_id uuid, origins text
-- row: app_count int8, gone_count int8, gone text
-- work: grows with apps
SELECT count(*) AS app_count, count(*) FILTER (WHERE is_gone) AS gone_count,
	coalesce(string_agg(id::text, ',' ORDER BY id) FILTER (WHERE is_gone), '') AS gone
FROM (
	SELECT id, imported_as <> ALL (string_to_array(:origins, E'\n')) AS is_gone
	FROM app
	WHERE collection_id = :collection_id AND account_id = :account_id AND NOT is_removed AND imported_as IS NOT NULL
		AND broken_reason IS DISTINCT FROM 'It has left its collection.'
) AS app
