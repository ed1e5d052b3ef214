-- Begins the removal of an account by the operator, with all its apps: its sessions end, nobody can
-- sign in, and it has no role; links for it and by it end. account_closed_next continues. No row:
-- it is gone, or was removed before.
-- params: id uuid, address text, session_id uuid
-- row: email text
-- refuse: last_administrator -> last_administrator
WITH closed AS (
	UPDATE account
	SET closed_at = present_time(),
		goes_with_apps = true,
		password_hash = NULL,
		is_reviewer = false,
		is_administrator = false
	WHERE id = :id AND closed_at IS NULL
	RETURNING id, email
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
	INSERT INTO audit_entry (actor, action, target, address, session_id)
	SELECT 'displayctl', 'account.remove', email, :address, :session_id
	FROM closed
)
SELECT email
FROM closed
