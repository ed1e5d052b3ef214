-- Makes a link that sets the password of an account; its earlier links end. A row without
-- expires_at: there is no such account. No row: the maker is no administrator any more. Both rows
-- are locked in the order of their IDs, so that two administrators who make links for each other do
-- not deadlock.
-- params: account_id uuid, id uuid, secret_hash bytea, life_s int4, maker_id uuid, address text,
--   session_id uuid
-- row: expires_at timestamptz?
WITH locked AS (
	SELECT id, email, is_administrator
	FROM account
	WHERE id IN (:account_id, :maker_id) AND closed_at IS NULL
	ORDER BY id
	FOR NO KEY UPDATE
), maker AS (
	SELECT id, email
	FROM locked
	WHERE id = :maker_id AND is_administrator
), chosen AS (
	SELECT locked.id, locked.email
	FROM locked, maker
	WHERE locked.id = :account_id
), unlinked AS (
	DELETE FROM account_link
	USING chosen
	WHERE account_link.account_id = chosen.id
), fresh AS (
	INSERT INTO account_link (id, kind, secret_hash, account_id, maker_id, expires_at)
	SELECT :id, 'password', :secret_hash, chosen.id, maker.id,
		present_time() + :life_s * interval '1 second'
	FROM chosen, maker
	RETURNING expires_at
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT maker.id, maker.email, 'link.create', chosen.email, :address, :session_id
	FROM chosen, maker
)
SELECT fresh.expires_at
FROM maker
LEFT JOIN fresh ON true
