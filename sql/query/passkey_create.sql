-- A new passkey of an account that is not being removed, made for a challenge that was answered
-- only this once. No row: the challenge was answered before, the password or passkey that was
-- checked is not the account's any more, its session has ended, or the account is gone.
-- params: account_id uuid, password_hash text?, shown_credential_id text?, session_id uuid, id uuid,
--   credential_id text, algorithm int4, public_key bytea, sign_count int8, name text, challenge bytea,
--   address text
-- row: passkey_entry
-- refuse: account_passkey_limit -> too_many_passkeys
-- refuse: passkey_credential_id_unique -> passkey_known
-- refuse: passkey_account_id_fkey -> account_gone
WITH locked AS (
	SELECT id, email
	FROM account
	WHERE id = :account_id
	FOR NO KEY UPDATE
), owner AS (
	SELECT id, email
	FROM locked
	WHERE proof_holds(id, :password_hash, :shown_credential_id, :session_id)
), answered AS (
	INSERT INTO used_challenge (challenge)
	SELECT :challenge
	FROM owner
	ON CONFLICT DO NOTHING
	RETURNING challenge
), fresh AS (
	INSERT INTO passkey (id, account_id, credential_id, algorithm, public_key, sign_count, name)
	SELECT :id, owner.id, :credential_id, :algorithm, :public_key, :sign_count, :name
	FROM answered, owner
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT owner.id, owner.email, 'passkey.add', fresh.name, :address, :session_id
	FROM fresh, owner
)
SELECT {passkey_entry}
FROM fresh
