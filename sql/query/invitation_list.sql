-- The invitations that can still be used, oldest first.
-- row: invitation
SELECT {invitation}
FROM account_link
WHERE kind = 'invitation' AND link_holds(kind, expires_at, is_operators, maker_id)
ORDER BY created_at, id
LIMIT 100
