-- Saves the draft of an app. revision: of the draft that was changed; 0: there was none. No row: it
-- has been changed meanwhile.
-- params: app_id uuid, script_language text, script_content text, revision int8
-- row: draft_saved
-- effect: write
-- work: bounded
-- refuse: app_draft_app_id_fkey -> app_gone
INSERT INTO app_draft (app_id, script_language, script_content)
SELECT :app_id, :script_language, :script_content
WHERE :revision = 0 OR EXISTS (SELECT FROM app_draft WHERE app_id = :app_id)
ON CONFLICT (app_id) DO UPDATE
SET script_language = excluded.script_language,
	script_content = excluded.script_content,
	revision = app_draft.revision + 1,
	updated_at = present_time()
WHERE app_draft.revision = :revision
RETURNING {draft_saved}
