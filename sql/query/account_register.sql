-- Makes an account, if there are others. No row: it would be the first one, which a link makes.
-- params: id uuid, email text, name text, password_hash text, address text
-- row: person
-- refuse: account_email_unique -> email_taken
WITH fresh AS (
	INSERT INTO account (id, email, name, password_hash)
	SELECT :id, :email, :name, :password_hash
	FROM site
	WHERE is_it AND account_count > 0
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address)
	SELECT id, email, 'account.create', email, :address
	FROM fresh
)
SELECT {person}
FROM fresh
