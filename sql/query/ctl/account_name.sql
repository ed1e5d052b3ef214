-- Gives an account another name, and tells its open pages. No row: there is none with this e-mail
-- address.
-- params: email text, name text
-- row: account_row
-- effect: write
-- work: bounded
WITH changed AS (
	UPDATE account
	SET name = :name
	WHERE lower(email) = lower(:email)
	RETURNING id, email, name, created_at
), told AS (
	SELECT pg_notify('displayd_hint', 'changed:' || id || ':account')
	FROM changed
)
SELECT changed.{account_row}
FROM changed, told
