-- All accounts as administrators see them, oldest first. search: those that have a text in
-- their name or address.
-- params: wanted text
-- row: member
-- work: grows with the devices of accounts
-- search: grows with accounts
-- list: account.created_at, account.id
SELECT account.{person}, account.last_sign_in_at,
	account.id IS NOT DISTINCT FROM (SELECT heir_id FROM site WHERE is_it) AS is_heir,
	account.device_count::int8 AS devices, account.key_count::int8 AS keys,
	account.owned_app_count AS apps,
	account_bytes(account.id) AS bytes,
	bytes_allowed(account.byte_limit, account.device_count) AS bytes_allowed, account.byte_limit,
	account.reaches_local
FROM account
WHERE {after}
	{search: AND (position((SELECT lower(:wanted)) IN account.search_name) > 0
		OR position((SELECT lower(:wanted)) IN lower(account.email)) > 0)}
{order}
