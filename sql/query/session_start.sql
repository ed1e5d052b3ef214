-- Signs an account in whose password was checked (its hash is still the same), or whose passkey or
-- identity was (the account still has it). The session that this browser had ends, as do those that were idle
-- for too long or stayed for too long, and the account's oldest if it has too many. No row: the password is another one
-- meanwhile, the passkey or identity was removed, or the account is gone.
-- params: account_id uuid, id uuid, secret_hash bytea, old_secret_hash bytea?, password_hash text?,
--   credential_id text?, issuer text?, subject text?,
--   address text, user_agent text, is_lasting bool, idle_s int4, lasting_s int4, sessions_max int4
-- row: person
WITH owner AS (
	UPDATE account
	SET last_sign_in_at = present_time()
	WHERE id = :account_id AND closed_at IS NULL AND CASE
			WHEN :issuer IS NOT NULL THEN identity_holds(:issuer, :subject, account.id)
			WHEN :credential_id IS NULL THEN password_hash = :password_hash
			ELSE passkey_holds(:credential_id, account.id)
		END
	RETURNING *
), rotated AS (
	DELETE FROM session
	USING owner
	WHERE session.secret_hash = :old_secret_hash
), expired AS (
	DELETE FROM session
	WHERE id IN (
		SELECT id
		FROM session
		WHERE NOT is_lasting AND last_used_at < (SELECT present_time() - :idle_s * interval '1 second')
		ORDER BY last_used_at
		LIMIT 100
		FOR UPDATE SKIP LOCKED)
), outlasted AS (
	DELETE FROM session
	WHERE id IN (
		SELECT id
		FROM session
		WHERE is_lasting AND created_at < (SELECT present_time() - :lasting_s * interval '1 second')
		ORDER BY created_at
		LIMIT 100
		FOR UPDATE SKIP LOCKED)
), crowded AS (
	DELETE FROM session
	WHERE id IN (
		SELECT session.id
		FROM session
		JOIN owner ON owner.id = session.account_id
		ORDER BY session.last_used_at DESC
		OFFSET :sessions_max - 1)
), fresh AS (
	INSERT INTO session (id, account_id, secret_hash, address, user_agent, is_lasting)
	SELECT :id, owner.id, :secret_hash, :address, :user_agent, :is_lasting
	FROM owner
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address)
	SELECT owner.id, owner.email, 'session.start', NULL, :address
	FROM owner
)
SELECT {person}
FROM owner
