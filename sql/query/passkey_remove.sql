-- Takes a passkey away from its account. A row without ID: the account has no such passkey. No row:
-- the password or passkey that was checked is not the account's any more, its session has ended, or
-- the account is gone.
-- params: account_id uuid, password_hash text?, credential_id text?, session_id uuid, id uuid, address text
-- row: id uuid?
WITH locked AS (
	SELECT id, email
	FROM account
	WHERE id = :account_id
	FOR NO KEY UPDATE
), owner AS (
	SELECT id, email
	FROM locked
	WHERE proof_holds(id, :password_hash, :credential_id, :session_id)
), removed AS (
	DELETE FROM passkey
	USING owner
	WHERE passkey.id = :id AND passkey.account_id = owner.id
	RETURNING passkey.id, passkey.name
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT owner.id, owner.email, 'passkey.remove', removed.name, :address, :session_id
	FROM removed, owner
)
SELECT removed.id
FROM owner
LEFT JOIN removed ON true
