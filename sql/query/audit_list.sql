-- The newest entries of the audit log; at most 101, one more than a short list has.
-- row: audit_entry
-- effect: read
-- work: bounded
SELECT {audit_entry}
FROM audit_entry
ORDER BY id DESC
LIMIT 101
