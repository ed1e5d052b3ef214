-- Makes a one-time link: for the first account while there is none, else for a new password of the
-- account with this e-mail address, or an invitation. The account gets the roles when the link is used;
-- an administrator who is made while there is no reviewer becomes a reviewer, too. No row: its owner has
-- removed the account. Without a link, the kind is "unknown" if no account has the address and an
-- invitation is not wanted, and "used" if one has it and an invitation is.
-- params: id uuid, email text?, is_reviewer bool, is_administrator bool, is_invitation bool, secret_hash bytea,
--   life_s int4
-- row: link_entry
WITH chosen AS (
	SELECT account.id, coalesce(account.email, :email) AS email,
		CASE
			WHEN site.account_count = 0 THEN 'first'
			WHEN account.id IS NULL AND :email IS NOT NULL AND NOT :is_invitation THEN 'unknown'
			WHEN account.id IS NULL THEN 'invitation'
			WHEN :is_invitation THEN 'used'
			ELSE 'password'
		END AS kind
	FROM site
	LEFT JOIN account ON lower(account.email) = lower(:email)
	WHERE site.is_it AND account.closed_at IS NULL
), fresh AS (
	INSERT INTO account_link (id, kind, secret_hash, account_id, email, is_reviewer,
		is_administrator, is_operators, expires_at)
	SELECT :id, kind, :secret_hash, id, CASE WHEN id IS NULL THEN email END,
		:is_reviewer OR kind = 'first' OR (:is_administrator AND NOT EXISTS (
			SELECT FROM account WHERE is_reviewer AND closed_at IS NULL)),
		:is_administrator OR kind = 'first', true,
		present_time() + :life_s * interval '1 second'
	FROM chosen
	WHERE kind IN ('first', 'invitation', 'password')
	RETURNING kind, expires_at
), audited AS (
	INSERT INTO audit_entry (actor, action, target)
	SELECT 'displayctl', CASE kind WHEN 'invitation' THEN 'invitation.create' ELSE 'link.create' END,
		email
	FROM chosen
	WHERE kind IN ('first', 'invitation', 'password')
)
SELECT chosen.kind, chosen.email, coalesce(fresh.expires_at, present_time()) AS expires_at
FROM chosen
LEFT JOIN fresh ON true
