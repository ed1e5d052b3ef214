-- The invitations that can still be used, oldest first.
-- row: invitation
-- effect: read
SELECT {invitation}
FROM account_link
WHERE kind = 'invitation' AND expires_at > present_time()
ORDER BY created_at, id
LIMIT 100
