-- The lines of an account's apps in its export.
-- params: account_id uuid
-- row: id uuid, line text
-- effect: read
-- work: grows with the account's apps
SELECT id, json_strip_nulls(json_build_object('kind', 'app', 'id', id, 'slug', slug, 'name', name,
	'description', description, 'visibility', visibility, 'isDisabled', status = 'disabled',
	'createdAt', json_timestamp(created_at), 'author', author, 'importedAs', imported_as))::text
	AS line
FROM app
WHERE account_id = :account_id AND NOT is_removed
ORDER BY created_at, id
