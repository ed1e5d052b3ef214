-- Makes an app from one of a checkout in its collection, or updates it: a public
-- one, but a private one in a collection of the account's own, within its bytes. Its version is
-- approved and deployed at once, with the verdict about it; if the app has a version of this name
-- already, that is deployed.
-- No row: the account or the collection is gone, or the slug is that of another app of the
-- collection.
-- params: id uuid, account_id uuid, collection_id uuid, slug text, name text, description text, author text?,
--   imported_as text, category text, tags text, broken_reason text?, version_id uuid, version text,
--   script_language text, script_content text,
--   checksum text, review_summary text, verdict text, picture bytea?
-- row: id uuid, generation int8, is_made bool
-- changes: told
-- refuse: account_app_limit -> too_many_apps, app_version_limit -> too_many_versions,
--   app_version_name_unique -> version_name_used, 54D01 -> too_many_bytes
-- rare: the operator imports apps
WITH known AS (
	SELECT app_version.id
	FROM app_version
	JOIN app ON app.id = app_version.app_id
	WHERE app.slug = :slug AND app.collection_id = :collection_id AND app_version.name = :version
		AND app_version.status = 'APPROVED'
), stored AS (
	INSERT INTO app (id, account_id, collection_id, slug, name, description, author, imported_as,
		category, tags, broken_reason, visibility, status, is_submitted, deployed_version_id, generation)
	SELECT :id, account.id, app_collection.id, :slug, :name, :description, :author, :imported_as,
		:category, :tags, :broken_reason,
		CASE WHEN app_collection.is_private THEN 'private' ELSE 'public' END, 'active', true, :version_id, 1
	FROM account
	JOIN app_collection ON app_collection.id = :collection_id
	WHERE account.id = :account_id AND account.closed_at IS NULL
		AND (NOT app_collection.is_private OR EXISTS (
			SELECT FROM app_archive
			WHERE app_archive.id = app_collection.id AND app_archive.account_id = account.id))
	ON CONFLICT (slug, collection_id) WHERE collection_id IS NOT NULL DO UPDATE
	SET name = excluded.name,
		description = excluded.description,
		author = excluded.author,
		category = excluded.category,
		tags = excluded.tags,
		broken_reason = excluded.broken_reason,
		status = CASE app.status WHEN 'disabled' THEN 'disabled' ELSE 'active' END,
		is_submitted = true,
		deployed_version_id = coalesce((SELECT known.id FROM known), :version_id),
		generation = app.generation + 1
	WHERE app.account_id = excluded.account_id AND app.imported_as = excluded.imported_as
		AND NOT app.is_removed
	RETURNING app.id, app.slug, app.generation, app.visibility
), versioned AS (
	INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status,
		reviewed_at, review_summary)
	SELECT :version_id, stored.id, :version, :script_language, :script_content, :checksum,
		'APPROVED', present_time(), :review_summary
	FROM stored
	WHERE NOT EXISTS (SELECT FROM known) AND app_takes_version(stored.id, :version, false)
		AND (stored.visibility <> 'private' OR app_takes(stored.id, octet_length(:script_content)))
	RETURNING id
), checked AS (
	INSERT INTO version_check (version_id, share, script_language, verdict, checked_at)
	SELECT versioned.id, :account_id, :script_language, :verdict, present_time()
	FROM versioned
), pictured AS (
	INSERT INTO app_own_picture (app_id, source, source_hash)
	SELECT stored.id, :picture, sha256(:picture)
	FROM stored
	WHERE :picture IS NOT NULL
	ON CONFLICT (app_id) DO UPDATE
	SET source = excluded.source, source_hash = excluded.source_hash, problem = NULL, tries = 0,
		claimed_until = NULL, checked_at = NULL
	WHERE app_own_picture.source_hash <> excluded.source_hash
), unpictured AS (
	DELETE FROM app_own_picture
	USING stored
	WHERE app_own_picture.app_id = stored.id AND :picture IS NULL
), audited AS (
	INSERT INTO audit_entry (actor, action, target)
	SELECT 'displayctl', 'app.import', stored.slug || ' ' || :version
	FROM stored
), told AS (
	SELECT pg_notify('displayd_hint', 'read:' || id)
	FROM stored
)
SELECT id, generation, id = :id AS is_made
FROM stored, told
