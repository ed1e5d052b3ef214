-- Makes an app of an account. actor_id: its maker; none: a program on the server. No row: the
-- account is gone.
-- params: id uuid, account_id uuid, name text, slug text, description text, visibility text,
--   actor_id uuid, address text?, session_id uuid
-- row: own_app
-- refuse: app_slug_unique -> slug_taken, app_slug_public_unique -> slug_taken,
--   account_app_limit -> too_many_apps
WITH fresh AS (
	INSERT INTO app (id, account_id, name, slug, description, visibility)
	SELECT :id, account.id, :name, :slug, :description, :visibility
	FROM account
	WHERE account.id = :account_id AND account.closed_at IS NULL
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), 'app.create', fresh.slug, :address, :session_id
	FROM fresh
	LEFT JOIN account ON account.id = :actor_id
)
SELECT id, slug, name, description, visibility, status, NULL::text AS version,
	NULL::text AS pending_version, created_at, NULL::text AS collection,
	NULL::text AS broken_reason
FROM fresh
