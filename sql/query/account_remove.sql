-- Begins the removal of an account by the operator or an administrator, with all its apps: its
-- sessions end, nobody can sign in, and it has no role; links for it and by it end.
-- account_closed_next continues. No row: it is gone, or was removed before, or the actor, whose
-- password or passkey was checked, is no administrator any more or has another one.
-- params: id uuid, by_operator bool, actor_id uuid, password_hash text?, credential_id text?,
--   address text, session_id uuid
-- row: email text
-- refuse: last_administrator -> last_administrator
WITH locked AS (
	-- Lock in order of ID: two administrators may remove each other.
	SELECT id, email, is_administrator AND closed_at IS NULL AS is_maker
	FROM account
	WHERE id IN (:id, :actor_id)
	ORDER BY id
	FOR NO KEY UPDATE
), maker AS (
	SELECT id, email
	FROM locked
	WHERE id = :actor_id AND is_maker AND NOT :by_operator
		AND proof_holds(id, :password_hash, :credential_id, :session_id)
), closed AS (
	UPDATE account
	SET closed_at = present_time(),
		goes_with_apps = true,
		password_hash = NULL,
		is_reviewer = false,
		is_administrator = false
	WHERE id = (SELECT id FROM locked WHERE id = :id) AND closed_at IS NULL
		AND (:by_operator OR EXISTS (SELECT FROM maker))
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
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT maker.id, coalesce(maker.email, 'displayctl'), 'account.remove', closed.email, :address,
		:session_id
	FROM closed
	LEFT JOIN maker ON true
)
SELECT email
FROM closed
