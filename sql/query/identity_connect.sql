-- Connects an identity with an account whose password or passkey was checked in this session. No row: the session has
-- ended, or the account is gone.
-- params: account_id uuid, session_id uuid, id uuid, issuer text, subject text, label text, address text
-- row: id uuid
-- refuse: account_identity_unique -> identity_used
-- refuse: account_identity_one -> identity_used
WITH owner AS (
	SELECT account.id, account.email
	FROM account
	WHERE account.id = :account_id AND account.closed_at IS NULL
		AND EXISTS (SELECT FROM session WHERE session.id = :session_id AND session.account_id = account.id)
	FOR NO KEY UPDATE
), fresh AS (
	INSERT INTO account_identity (id, account_id, issuer, subject, label)
	SELECT :id, owner.id, :issuer, :subject, :label
	FROM owner
	RETURNING id
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT owner.id, owner.email, 'identity.connect', :label, :address, :session_id
	FROM owner
)
SELECT id
FROM fresh
