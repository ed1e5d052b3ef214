-- A part of the audit log, newest first: at most so many before a list position.
-- params: before_id int8, row_limit int8
-- row: audit_entry
-- effect: read
-- work: bounded
SELECT {audit_entry}
FROM audit_entry
WHERE id < :before_id
ORDER BY id DESC
LIMIT :row_limit
