-- Uses a link that sets the password of an account, and gives it the link's roles. All sessions and
-- all other links of the account end. No row: the link is not valid any more.
-- params: secret_hash bytea, password_hash text, address text
-- row: id uuid
WITH link AS (
	SELECT id, account_id, is_reviewer, is_administrator
	FROM account_link
	WHERE secret_hash = :secret_hash AND kind = 'password' AND link_holds(kind, expires_at, is_operators, maker_id)
	FOR UPDATE
), changed AS (
	UPDATE account
	SET password_hash = :password_hash,
		is_reviewer = account.is_reviewer OR link.is_reviewer,
		is_administrator = account.is_administrator OR link.is_administrator
	FROM link
	WHERE account.id = link.account_id AND account.closed_at IS NULL
	RETURNING account.id, account.email
), unlinked AS (
	DELETE FROM account_link
	USING changed
	WHERE account_link.account_id = changed.id
), ended AS (
	DELETE FROM session
	USING changed
	WHERE session.account_id = changed.id
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address)
	SELECT id, email, 'password.change', email, :address
	FROM changed
)
SELECT id
FROM changed
