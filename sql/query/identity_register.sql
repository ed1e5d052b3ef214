-- Makes an account of an identity, if there are others; never an administrator or reviewer. No row: it would be the
-- first one, which a link makes.
-- params: id uuid, email text, name text, identity_id uuid, issuer text, subject text, address text
-- row: id uuid
-- refuse: account_email_unique -> email_taken
-- refuse: account_identity_unique -> identity_used
WITH fresh AS (
	INSERT INTO account (id, email, name)
	SELECT :id, :email, :name
	FROM site
	WHERE is_it AND account_count > 0
	RETURNING id, email
), identified AS (
	INSERT INTO account_identity (id, account_id, issuer, subject, label, last_used_at)
	SELECT :identity_id, fresh.id, :issuer, :subject, fresh.email, present_time()
	FROM fresh
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address)
	SELECT id, email, 'account.create', email, :address
	FROM fresh
)
SELECT id
FROM fresh
