-- All accounts with what they own, oldest first; or the one with this e-mail address.
-- params: email text?
-- row: owner_row
-- effect: read
-- work: grows with accounts
SELECT id, email, name, created_at,
	(SELECT count(*) FROM device WHERE device.account_id = account.id) AS devices,
	(SELECT count(*) FROM api_key WHERE api_key.account_id = account.id AND revoked_at IS NULL)
		AS keys,
	(SELECT count(*) FROM app WHERE app.account_id = account.id) AS apps,
	is_reviewer, is_administrator
FROM account
WHERE :email IS NULL OR lower(account.email) = lower(:email)
ORDER BY created_at, id
