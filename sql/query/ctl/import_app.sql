-- An app of an export, without versions still. visibility: where it is not NULL, instead of its own. Its
-- collection is made where there is none of this name; exports from before collections had names name none.
-- params: account_id uuid, visibility text?, line text
-- row: id uuid
-- effect: write
-- work: bounded
-- refuse: app_pkey -> app_taken, app_slug_unique -> slug_taken, app_slug_public_unique -> slug_taken,
--   app_slug_collection_unique -> slug_taken
-- refuse: 22 -> not_storable, 23 -> not_storable
WITH line AS (
	SELECT *, CASE WHEN "importedAs" IS NOT NULL THEN coalesce(collection, 'imported') END
		AS collection_name
	FROM jsonb_to_record(:line::jsonb)
		AS line (id uuid, slug text, name text, description text, visibility text,
			"isDisabled" boolean, "createdAt" timestamptz, author text, "importedAs" text,
			collection text, category text, tags jsonb, "brokenReason" text)
), made AS (
	INSERT INTO app_collection (id, name)
	SELECT gen_random_uuid(), collection_name
	FROM line
	WHERE collection_name IS NOT NULL AND NOT EXISTS (
		SELECT FROM app_collection WHERE app_collection.name = collection_name)
	RETURNING id
)
INSERT INTO app (id, account_id, slug, name, description, visibility, status, created_at, author,
	imported_as, collection_id, category, tags, broken_reason)
SELECT id, :account_id, slug, name, description, coalesce(:visibility, line.visibility),
	CASE WHEN "isDisabled" THEN 'disabled' ELSE 'draft' END,
	least("createdAt", present_time()), author, "importedAs",
	coalesce((SELECT made.id FROM made),
		(SELECT app_collection.id FROM app_collection WHERE app_collection.name = collection_name)),
	coalesce(category, ''),
	'[' || coalesce((SELECT string_agg(to_json(tag)::text, ',' ORDER BY number)
		FROM jsonb_array_elements_text(tags) WITH ORDINALITY AS one (tag, number)), '') || ']',
	"brokenReason"
FROM line
RETURNING id
