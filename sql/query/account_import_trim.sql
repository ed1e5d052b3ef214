-- Removes some lines of an import that has ended, or was not continued, and the import with the
-- last of them. No row: there is nothing to remove. byte_limit: of removed lines, except that at
-- least one line is removed.
-- params: row_limit int8, byte_limit int8
-- row: removed int8
WITH ended AS (
	SELECT id
	FROM account_import
	WHERE ends_at <= present_time()
	ORDER BY ends_at
	LIMIT 1
	FOR UPDATE SKIP LOCKED
), next AS (
	SELECT line.import_id, line.number, pg_column_size(line.line) + coalesce(pg_column_size(line.picture), 0) AS bytes
	FROM ended
	JOIN account_import_line AS line ON line.import_id = ended.id
	ORDER BY line.number
	LIMIT :row_limit
), summed AS (
	SELECT next.import_id, next.number, sum(next.bytes) OVER (ORDER BY next.number) - next.bytes AS bytes_before
	FROM next
), portion AS (
	SELECT summed.import_id, summed.number
	FROM summed
	WHERE summed.bytes_before < :byte_limit
), removed AS (
	DELETE FROM account_import_line
	USING portion
	WHERE account_import_line.import_id = portion.import_id AND account_import_line.number = portion.number
), gone AS (
	DELETE FROM account_import
	USING ended
	WHERE account_import.id = ended.id AND (SELECT count(*) FROM portion) < :row_limit
		AND (SELECT count(*) FROM portion) = (SELECT count(*) FROM next)
)
SELECT count(portion.number) AS removed
FROM ended
LEFT JOIN portion ON true
GROUP BY ended.id
