-- The account's own line of its export. No row: there is none, or its owner has removed it.
-- params: email text
-- row: id uuid, line text
-- effect: read
-- work: bounded
SELECT id, json_strip_nulls(json_build_object('kind', 'account', 'format', 1,
	'madeAt', json_timestamp(present_time()), 'email', email, 'name', name,
	'createdAt', json_timestamp(created_at), 'passwordHash', password_hash))::text AS line
FROM account
WHERE lower(email) = lower(:email) AND closed_at IS NULL
