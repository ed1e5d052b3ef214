-- The entries of the audit log, newest first.
-- params: wanted text
-- row: audit_entry
-- search: grows with audit entries
-- list: id desc
SELECT {audit_entry}
FROM audit_entry
WHERE {after}
	{search: AND position((SELECT lower(:wanted))
		IN lower(concat_ws(E'\n', actor, action, target, address))) > 0}
{order}
