-- The newest entries of the log of who did what; at most 101, one more than a short
-- list has. Of those that have a text.
-- params: wanted text
-- row: audit_entry
-- effect: read
-- work: grows with audit entries
SELECT {audit_entry}
FROM audit_entry
WHERE position(lower(:wanted) IN lower(concat_ws(E'\n', actor, action, target, address))) > 0
ORDER BY id DESC
LIMIT 101
