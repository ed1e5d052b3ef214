-- A part of all accounts, oldest first: at most so many after a list position.
-- params: after_created_at timestamptz, after_id uuid, row_limit int8
-- row: member
-- effect: read
-- work: grows with the devices of accounts
SELECT account.{person}, account.last_sign_in_at,
	account.id IS NOT DISTINCT FROM (SELECT heir_id FROM site WHERE is_it) AS is_heir,
	account.device_count::int8 AS devices, account.key_count::int8 AS keys,
	account.owned_app_count AS apps,
	account_bytes(account.id) AS bytes,
	bytes_allowed(account.byte_limit, account.device_count) AS bytes_allowed, account.byte_limit,
	account.reaches_local
FROM account
WHERE (account.created_at, account.id) > (:after_created_at, :after_id)
ORDER BY account.created_at, account.id
LIMIT :row_limit
