-- The hash of an account's password, by its e-mail address. Always one row: if there is no such
-- account, its ID is all zero. folded: the address as the database compares it.
-- params: email text
-- row: id uuid, folded text, password_hash text?
SELECT coalesce(account.id, '00000000-0000-0000-0000-000000000000') AS id,
	lower(:email) AS folded, account.password_hash
FROM (SELECT) AS one
LEFT JOIN account ON lower(account.email) = lower(:email)
