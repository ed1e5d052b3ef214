-- Begins the removal of an account: nobody is or can be signed in, and it has no role; links that it made
-- end with the role. Open pages of it are told. No row: it is gone.
-- params: id uuid
-- row: id uuid
-- effect: write
-- work: bounded
-- refuse: last_administrator -> last_administrator
WITH shut AS (
	UPDATE account
	SET password_hash = NULL,
		is_reviewer = false,
		is_administrator = false
	WHERE id = :id
	RETURNING id
), ended AS (
	DELETE FROM session
	USING shut
	WHERE session.account_id = shut.id
), unkeyed AS (
	DELETE FROM passkey
	USING shut
	WHERE passkey.account_id = shut.id
), unlinked AS (
	DELETE FROM account_link
	USING shut
	WHERE account_link.account_id = shut.id
), told AS (
	SELECT pg_notify('displayd_hint', 'changed:' || id || ':sessions '
		'changed:00000000-0000-0000-0000-000000000000:admin')
	FROM shut
)
SELECT shut.id
FROM shut, told
