-- The accounts that have a text in their name or address, oldest first: at most so many after a
-- list position.
-- params: wanted text, after_created_at timestamptz, after_id uuid, row_limit int8
-- row: member
-- effect: read
-- work: grows with accounts
SELECT account.{person}, account.last_sign_in_at,
	account.id IS NOT DISTINCT FROM (SELECT heir_id FROM site WHERE is_it) AS is_heir,
	account.device_count::int8 AS devices, account.key_count::int8 AS keys,
	account.owned_app_count AS apps,
	account_bytes(account.id) AS bytes,
	bytes_allowed(account.byte_limit, account.device_count) AS bytes_allowed, account.byte_limit,
	account.reaches_local
FROM account
WHERE (account.created_at, account.id) > (:after_created_at, :after_id)
	AND (position((SELECT lower(:wanted)) IN account.search_name) > 0
		OR position((SELECT lower(:wanted)) IN lower(account.email)) > 0)
ORDER BY account.created_at, account.id
LIMIT :row_limit
