-- Stores the verdict about a version; an earlier one stays. slug and account_id: app and owner whose
-- pages show it. No row: there was an earlier verdict, or the version is gone.
-- params: version_id uuid, is_bad bool, verdict text
-- row: slug text, account_id uuid?
WITH stored AS (
	UPDATE version_check
	SET is_bad = :is_bad, verdict = :verdict, checked_at = present_time(), claimed_until = NULL
	WHERE version_id = :version_id AND checked_at IS NULL
	RETURNING version_id
)
SELECT app.slug, app.account_id
FROM stored
JOIN app_version ON app_version.id = stored.version_id
JOIN app ON app.id = app_version.app_id
