-- Marks an app as removed: nobody sees, installs, reviews or deploys it any more, and its slug is
-- free. Its new slug is random, so that no author can have taken it. app_removed_next continues.
-- No row: it is gone, or the actor is no administrator any more.
-- params: id uuid, by_operator bool, actor_id uuid, address text, session_id uuid
-- row: id uuid, slug text, account_id uuid?, generation int8
WITH maker AS (
	SELECT id, email
	FROM account
	WHERE id = :actor_id AND is_administrator AND closed_at IS NULL AND NOT :by_operator
), named AS (
	SELECT id, slug
	FROM app
	WHERE id = :id AND NOT is_removed AND (:by_operator OR EXISTS (SELECT FROM maker))
	FOR UPDATE
), marked AS (
	UPDATE app
	SET is_removed = true, status = 'disabled', deployed_version_id = NULL, generation = generation + 1,
		slug = 'removed-' || gen_random_uuid()
	FROM named
	WHERE app.id = named.id
	RETURNING app.id, named.slug, app.account_id, app.generation
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT maker.id, coalesce(maker.email, 'displayctl'), 'app.remove', marked.slug, :address,
		:session_id
	FROM marked
	LEFT JOIN maker ON true
)
SELECT id, slug, account_id, generation
FROM marked
