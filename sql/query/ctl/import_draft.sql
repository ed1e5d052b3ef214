-- The draft of an app of an export.
-- params: app_id uuid, line text
-- row: id uuid
-- effect: write
-- work: bounded
-- refuse: app_draft_pkey -> draft_taken
-- refuse: 22 -> not_storable, 23 -> not_storable
INSERT INTO app_draft (app_id, script_language, script_content)
SELECT :app_id, "scriptLanguage", "scriptContent"
FROM jsonb_to_record(:line::jsonb) AS line ("scriptLanguage" text, "scriptContent" text)
RETURNING app_id AS id
