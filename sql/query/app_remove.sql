-- Marks an app as removed: nobody sees, installs, reviews or deploys it any more. app_removed_next goes
-- on. No row: it is gone.
-- params: id uuid, session_id uuid
-- row: id uuid, slug text, account_id uuid?, generation int8
-- effect: write
-- work: bounded
WITH marked AS (
	UPDATE app
	SET is_removed = true, status = 'disabled', deployed_version_id = NULL, generation = generation + 1
	WHERE id = :id AND NOT is_removed
	RETURNING id, slug, account_id, generation
), audited AS (
	INSERT INTO audit_entry (actor, action, target, session_id)
	SELECT 'displayctl', 'app.remove', slug, :session_id
	FROM marked
)
SELECT id, slug, account_id, generation
FROM marked
