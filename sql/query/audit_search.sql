-- The entries of the audit log that have a text, newest first: at most so many before a list
-- position.
-- params: wanted text, before_id int8, row_limit int8
-- row: audit_entry
-- effect: read
-- work: grows with audit entries
SELECT {audit_entry}
FROM audit_entry
WHERE id < :before_id
	AND position((SELECT lower(:wanted))
		IN lower(concat_ws(E'\n', actor, action, target, address))) > 0
ORDER BY id DESC
LIMIT :row_limit
