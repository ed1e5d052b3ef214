-- All accounts with what they own, oldest first; or the one with this e-mail address.
-- params: email text?
-- row: owner_row
-- effect: read
-- work: grows with accounts
SELECT id, email, name, created_at,
	device_count::int8 AS devices, key_count::int8 AS keys, owned_app_count AS apps,
	account_bytes(id) AS bytes, bytes_allowed(byte_limit, device_count) AS bytes_allowed,
	is_reviewer, is_administrator, reaches_local
FROM account
WHERE :email IS NULL OR lower(account.email) = lower(:email)
ORDER BY created_at, id
