-- The invitations that can still be used, oldest first.
-- row: invitation
-- effect: read
-- work: bounded
SELECT {invitation}
FROM account_link
WHERE kind = 'invitation' AND link_holds(account_link)
ORDER BY created_at, id
LIMIT 100
