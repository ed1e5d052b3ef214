-- The line of an app's draft in an export.
-- params: app_id uuid
-- row: line text
-- effect: read
-- work: bounded
SELECT json_build_object('kind', 'draft', 'app', app.slug, 'scriptLanguage', script_language,
	'scriptContent', script_content)::text AS line
FROM app_draft
JOIN app ON app.id = app_draft.app_id
WHERE app_draft.app_id = :app_id
