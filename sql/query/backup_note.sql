-- Notes that a backup was made now.
-- row: is_noted bool
UPDATE site
SET backed_up_at = present_time()
WHERE is_it
RETURNING true AS is_noted
