-- Makes a version the draft of its app, in place of the draft that was there. No row: the app has no such version.
-- params: app_id uuid, name text
-- row: draft_saved
-- refuse: app_draft_app_id_fkey -> app_gone, 54D01 -> too_many_bytes
WITH locked AS (
	-- Lock the app before its draft, in the order of the removal.
	SELECT id
	FROM app
	WHERE id = :app_id
	FOR NO KEY UPDATE
)
INSERT INTO app_draft (app_id, script_language, script_content)
SELECT app_version.app_id, app_version.script_language, app_version.script_content
FROM locked
JOIN app_version ON app_version.app_id = locked.id AND app_version.name = :name
LEFT JOIN app_draft AS old ON old.app_id = locked.id
WHERE app_takes(locked.id,
	octet_length(app_version.script_content) - coalesce(octet_length(old.script_content), 0))
ON CONFLICT (app_id) DO UPDATE
SET script_language = excluded.script_language,
	script_content = excluded.script_content,
	revision = app_draft.revision + 1,
	updated_at = present_time()
RETURNING {draft_saved}
