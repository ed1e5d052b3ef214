-- An account as administrators see it, by its ID or its e-mail address.
-- params: id uuid, email text
-- row: member
SELECT account.{person}, account.last_sign_in_at,
	account.id IS NOT DISTINCT FROM (SELECT heir_id FROM site WHERE is_it) AS is_heir,
	account.device_count::int8 AS devices, account.key_count::int8 AS keys,
	account.owned_app_count AS apps,
	account_bytes(account.id) AS bytes,
	bytes_allowed(account.byte_limit, account.device_count) AS bytes_allowed, account.byte_limit,
	account.reaches_local
FROM account
WHERE account.id = :id OR lower(account.email) = lower(:email)
