-- Makes an invitation, and removes expired ones. A row without expires_at: there are too many.
-- No row: the maker is no administrator any more. The lock keeps it one until the invitation is
-- stored.
-- params: id uuid, email text?, is_reviewer bool, is_administrator bool, secret_hash bytea,
--   life_s int4, maker_id uuid, address text, session_id uuid
-- row: expires_at timestamptz?
WITH maker AS (
	SELECT id, email
	FROM account
	WHERE id = :maker_id AND is_administrator AND closed_at IS NULL
	FOR SHARE
), expired AS (
	DELETE FROM account_link
	WHERE kind = 'invitation' AND expires_at < present_time()
), fresh AS (
	INSERT INTO account_link (id, kind, secret_hash, email, is_reviewer, is_administrator, maker_id,
		expires_at)
	SELECT :id, 'invitation', :secret_hash, :email, :is_reviewer, :is_administrator, maker.id,
		present_time() + :life_s * interval '1 second'
	FROM maker
	WHERE (
		SELECT count(*)
		FROM account_link
		WHERE kind = 'invitation' AND link_holds(kind, expires_at, is_operators, maker_id)) < 100
	RETURNING email, expires_at
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT maker.id, maker.email, 'invitation.create', fresh.email, :address, :session_id
	FROM fresh, maker
)
SELECT fresh.expires_at
FROM maker
LEFT JOIN fresh ON true
