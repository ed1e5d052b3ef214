-- Begins the removal of an account whose password or passkey was checked: nobody can sign in any
-- more, and it has no role. account_closed_next continues. No row: the password was changed
-- meanwhile, the session has ended, or the account is gone.
-- params: account_id uuid, password_hash text?, credential_id text?, session_id uuid,
--   address text
-- row: id uuid
-- refuse: last_administrator -> last_administrator
WITH locked AS (
	SELECT id, email
	FROM account
	WHERE id = :account_id
	FOR NO KEY UPDATE
), owner AS (
	SELECT id, email
	FROM locked
	WHERE proof_holds(id, :password_hash, :credential_id, :session_id)
), closed AS (
	UPDATE account
	SET closed_at = present_time(),
		password_hash = NULL,
		is_reviewer = false,
		is_administrator = false
	FROM owner
	WHERE account.id = owner.id
	RETURNING account.id, account.email
), ended AS (
	DELETE FROM session
	USING closed
	WHERE session.account_id = closed.id
), unkeyed AS (
	DELETE FROM passkey
	USING closed
	WHERE passkey.account_id = closed.id
), unlinked AS (
	DELETE FROM account_link
	USING closed
	WHERE account_link.account_id = closed.id
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT id, email, 'account.remove', email, :address, :session_id
	FROM closed
)
SELECT id
FROM closed
