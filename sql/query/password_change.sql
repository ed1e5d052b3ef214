-- Changes a password if it is still the one that was checked, or if the account still has the
-- passkey that was checked. All other sessions of the account end, its links with them, and the
-- session of the request gets another secret. No row: the password is another one meanwhile, the
-- session has ended, or the account is gone.
-- params: account_id uuid, old_password_hash text?, credential_id text?, password_hash text, session_id uuid,
--   secret_hash bytea, address text
-- row: id uuid
WITH locked AS (
	SELECT id, email
	FROM account
	WHERE id = :account_id
	FOR NO KEY UPDATE
), owner AS (
	SELECT id, email
	FROM locked
	WHERE proof_holds(id, :old_password_hash, :credential_id, :session_id)
), changed AS (
	UPDATE account
	SET password_hash = :password_hash
	FROM owner
	WHERE account.id = owner.id
	RETURNING account.id, account.email
), ended AS (
	DELETE FROM session
	USING changed
	WHERE session.account_id = changed.id AND session.id <> :session_id
), rotated AS (
	UPDATE session
	SET secret_hash = :secret_hash
	FROM changed
	WHERE session.id = :session_id AND session.account_id = changed.id
), unlinked AS (
	DELETE FROM account_link
	USING changed
	WHERE account_link.account_id = changed.id
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT id, email, 'password.change', email, :address, :session_id
	FROM changed
)
SELECT id
FROM changed
