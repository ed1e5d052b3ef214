-- A new passkey of an account that is not being removed, made for a challenge that was answered this
-- once. No row: the challenge was answered before, or the account is gone.
-- params: account_id uuid, id uuid, credential_id text, algorithm int4, public_key bytea,
--   sign_count int8, name text, challenge bytea, address text
-- row: passkey_entry
-- effect: write
-- refuse: account_passkey_limit -> too_many_passkeys
-- refuse: passkey_credential_id_unique -> passkey_known
-- refuse: passkey_account_id_fkey -> account_gone
WITH answered AS (
	INSERT INTO used_challenge (challenge)
	VALUES (:challenge)
	ON CONFLICT DO NOTHING
	RETURNING challenge
), fresh AS (
	INSERT INTO passkey (id, account_id, credential_id, algorithm, public_key, sign_count, name)
	SELECT :id, account.id, :credential_id, :algorithm, :public_key, :sign_count, :name
	FROM answered, account
	WHERE account.id = :account_id AND account.closed_at IS NULL
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address)
	SELECT account.id, account.email, 'passkey.add', fresh.name, :address
	FROM fresh
	JOIN account ON account.id = fresh.account_id
)
SELECT {passkey_entry}
FROM fresh
