-- Changes a password that is still the one which was checked, or any where a passkey was checked that
-- the account still has. All other sessions of the account end,
-- its links with them, and the session of the request gets another secret. No row: the password is
-- another one meanwhile, or the account is gone.
-- params: account_id uuid, old_password_hash text?, credential_id text?, password_hash text, session_id uuid,
--   secret_hash bytea, address text
-- row: id uuid
-- effect: write
WITH changed AS (
	UPDATE account
	SET password_hash = :password_hash
	WHERE id = :account_id AND closed_at IS NULL AND CASE
			WHEN :credential_id IS NULL THEN password_hash = :old_password_hash
			ELSE EXISTS (
				SELECT
				FROM passkey
				WHERE credential_id = :credential_id AND passkey.account_id = account.id)
		END
	RETURNING id, email
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
	INSERT INTO audit_entry (account_id, actor, action, target, address)
	SELECT id, email, 'password.change', email, :address
	FROM changed
)
SELECT id
FROM changed
