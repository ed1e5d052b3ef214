-- The verdict about a version of an app. No row: the app has no such version.
-- params: app_id uuid, name text
-- row: id uuid, verdict text, is_pending bool
SELECT app_version.id, version_verdict(app_version.id) AS verdict,
	version_check.version_id IS NOT NULL AND version_check.checked_at IS NULL AS is_pending
FROM app_version
LEFT JOIN version_check ON version_check.version_id = app_version.id
WHERE app_version.app_id = :app_id AND app_version.name = :name
