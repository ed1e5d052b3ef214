-- Chooses the collection into which a checkout is imported, and makes it if there is none (see
-- app_collection_chosen). own_id: of an account's own collection that the server
-- fetches; all zero: it is none. Finds the collection's apps that have a slug of the checkout, for the
-- importer to compare. A line for each app of the checkout: its origin, its author, and the slugs
-- that it may get, with tabs between them. The origin of an app of another account is empty. content is
-- a hash of what the manifest says, the name of the deployed version, and the hash of the picture.
-- params: account_id uuid, name text, is_given bool, source text, lines text, only_check bool,
--   own_id uuid
-- row: id uuid?, name text?, apps text
-- effect: write
-- work: grows with apps
WITH line AS MATERIALIZED (
	SELECT string_to_array(text, E'\t') AS field
	FROM unnest(string_to_array(:lines, E'\n')) AS line (text)
), chosen AS MATERIALIZED (
	SELECT id, name
	FROM app_collection_chosen(:account_id, :name, :is_given, :source,
		ARRAY(SELECT field[1] FROM line), ARRAY(SELECT field[2] FROM line), :only_check,
		nullif(:own_id, '00000000-0000-0000-0000-000000000000'::uuid))
)
SELECT chosen.id, chosen.name, coalesce((
	SELECT json_agg(json_build_object(
		'slug', app.slug,
		'origin', CASE WHEN app.account_id = :account_id THEN coalesce(app.imported_as, '') ELSE '' END,
		'content', encode(sha256(convert_to(concat_ws(E'\n', app.name, app.description,
			coalesce(app.author, ''), app.category, app.tags, coalesce(app.broken_reason, ''),
			coalesce(app_version.name, ''), coalesce(encode(app_own_picture.source_hash, 'hex'), '')),
			'UTF8')), 'hex')))
	FROM app
	LEFT JOIN app_version ON app_version.id = app.deployed_version_id
	LEFT JOIN app_own_picture ON app_own_picture.app_id = app.id
	WHERE app.collection_id = chosen.id
		AND app.slug = ANY (ARRAY(SELECT unnest(field[3:]) FROM line))), '[]')::text AS apps
FROM chosen
