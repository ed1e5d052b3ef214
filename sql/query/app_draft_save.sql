-- Saves the draft of an app. revision: that of the draft that was changed; 0: there was none. No row:
-- the draft has been changed meanwhile.
-- params: app_id uuid, script_language text, script_content text, revision int8
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
SELECT :app_id, :script_language, :script_content
FROM (SELECT count(*) FROM locked) AS locked
LEFT JOIN app_draft AS old ON old.app_id = :app_id
WHERE (:revision = 0 OR old.app_id IS NOT NULL)
	AND app_takes(:app_id,
		octet_length(:script_content) - coalesce(octet_length(old.script_content), 0))
ON CONFLICT (app_id) DO UPDATE
SET script_language = excluded.script_language,
	script_content = excluded.script_content,
	revision = app_draft.revision + 1,
	updated_at = present_time()
WHERE app_draft.revision = :revision
RETURNING {draft_saved}
