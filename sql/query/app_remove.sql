-- Marks an app as removed: nobody sees, installs, reviews or deploys it any more, and its slug is
-- free. Its new slug is random, so that no author can have taken it. app_removed_next continues.
-- No row: it is gone.
-- params: id uuid, session_id uuid
-- row: id uuid, slug text, account_id uuid?, generation int8
WITH named AS (
	SELECT id, slug
	FROM app
	WHERE id = :id AND NOT is_removed
	FOR UPDATE
), marked AS (
	UPDATE app
	SET is_removed = true, status = 'disabled', deployed_version_id = NULL, generation = generation + 1,
		slug = 'removed-' || gen_random_uuid()
	FROM named
	WHERE app.id = named.id
	RETURNING app.id, named.slug, app.account_id, app.generation
), audited AS (
	INSERT INTO audit_entry (actor, action, target, session_id)
	SELECT 'displayctl', 'app.remove', slug, :session_id
	FROM marked
)
SELECT id, slug, account_id, generation
FROM marked
