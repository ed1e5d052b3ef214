-- An app of an export, without versions still. visibility: where it is not NULL, instead of its own.
-- params: account_id uuid, visibility text?, line text
-- row: id uuid
-- effect: write
-- work: bounded
-- refuse: app_pkey -> app_taken, app_slug_unique -> slug_taken
-- refuse: 22 -> not_storable, 23 -> not_storable
INSERT INTO app (id, account_id, slug, name, description, visibility, status, created_at, author,
	imported_as)
SELECT id, :account_id, slug, name, description, coalesce(:visibility, line.visibility),
	CASE WHEN "isDisabled" THEN 'disabled' ELSE 'draft' END,
	least("createdAt", present_time()), author, "importedAs"
FROM jsonb_to_record(:line::jsonb)
	AS line (id uuid, slug text, name text, description text, visibility text,
		"isDisabled" boolean, "createdAt" timestamptz, author text, "importedAs" text)
RETURNING id
