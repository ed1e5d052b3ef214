-- Finds an account that its owner or the operator has removed, and that still exists. If its owner
-- has removed it, its public apps that others have installed get another owner, or are disabled.
-- The lock of the successor's row keeps it from being closed meanwhile, so that no app is given to
-- a closed account, or missed by its removal.
-- row: id uuid
-- work: grows with the account's apps
-- rare: an account is removed, and its apps get another owner
WITH closed AS (
	SELECT id, goes_with_apps
	FROM account
	WHERE closed_at IS NOT NULL
	ORDER BY closed_at
	LIMIT 1
), heir AS (
	SELECT account.id
	FROM site
	JOIN account ON account.id = site.heir_id
	WHERE site.is_it AND account.closed_at IS NULL
	FOR NO KEY UPDATE OF account
), handed AS (
	UPDATE app
	SET account_id = (SELECT id FROM heir),
		status = CASE WHEN EXISTS (SELECT FROM heir) THEN app.status ELSE 'disabled' END,
		generation = app.generation + 1
	FROM closed
	WHERE app.account_id = closed.id AND app.visibility <> 'private' AND NOT app.is_removed
		AND NOT closed.goes_with_apps AND is_app_of_others(app.id, closed.id)
	RETURNING app.id, app.generation
), told AS (
	SELECT count(pg_notify('displayd_hint', 'app:' || id || ':' || generation)) AS apps
	FROM handed
)
SELECT closed.id
FROM closed, told
