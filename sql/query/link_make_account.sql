-- Uses a link that makes an account, with the roles that the link gives. Of two links for the first
-- account that are used at once, only one makes an account: the second one waits until the first
-- one has counted. No row: the link is not valid any more.
-- params: secret_hash bytea, id uuid, email text, name text, password_hash text, address text
-- row: person
-- refuse: account_email_unique -> email_taken
WITH link AS (
	DELETE FROM account_link
	WHERE secret_hash = :secret_hash AND kind <> 'password' AND link_holds(kind, expires_at, is_operators, maker_id)
	RETURNING *
), counted AS (
	UPDATE site
	SET account_count = account_count
	WHERE is_it AND account_count = 0
	RETURNING is_it
), fresh AS (
	INSERT INTO account (id, email, name, password_hash, is_reviewer, is_administrator)
	SELECT :id, coalesce(link.email, :email), :name, :password_hash, link.is_reviewer,
		link.is_administrator
	FROM link
	WHERE link.kind <> 'first' OR EXISTS (SELECT FROM counted)
	RETURNING *
), unlinked AS (
	DELETE FROM account_link
	WHERE kind = 'first' AND secret_hash <> :secret_hash AND EXISTS (SELECT FROM fresh)
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address)
	SELECT id, email, 'account.create', email, :address
	FROM fresh
)
SELECT {person}
FROM fresh
