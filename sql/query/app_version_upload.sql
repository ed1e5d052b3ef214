-- Submits a new version of an app for review; the first version makes the app pending. Two
-- constraints hold for concurrent uploads: an app has each name once, and one version awaits
-- review. Both are looked at before the insert, which would write the script before they refuse it.
-- params: id uuid, app_id uuid, name text, script_language text, script_content text,
--   checksum text
-- row: app_version
-- refuse: app_version_name_unique -> version_name_used, app_version_one_pending -> review_pending,
--   app_version_limit -> too_many_versions, 54D01 -> too_many_bytes,
--   app_version_app_id_fkey -> app_gone
WITH first AS (
	UPDATE app
	SET is_submitted = true,
		status = CASE status WHEN 'draft' THEN 'pending' ELSE status END
	WHERE id = :app_id AND NOT is_submitted
)
INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum)
SELECT :id, :app_id, :name, :script_language, :script_content, :checksum
WHERE app_takes_version(:app_id, :name, true) AND app_takes(:app_id, octet_length(:script_content))
RETURNING id, name AS version, script_language, checksum, status, reviewed_at, rejection_reason,
	review_summary, '[]'::text AS review_comments, created_at, false AS deployed
