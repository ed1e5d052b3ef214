-- The API keys of the account with this e-mail address, oldest first, revoked ones included.
-- No row: there is no such account. One row without id: it has no key.
-- params: account_email text
-- row: key_row
-- effect: read
-- work: grows with the account's keys
SELECT account.id AS account_id, api_key.id, api_key.name, api_key.first_characters,
	api_key.created_at, api_key.last_used_at, api_key.revoked_at
FROM account
LEFT JOIN api_key ON api_key.account_id = account.id
WHERE lower(account.email) = lower(:account_email)
ORDER BY api_key.created_at, api_key.id
