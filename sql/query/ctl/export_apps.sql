-- The lines of an account's apps in its export.
-- params: account_id uuid
-- row: id uuid, line text
-- effect: read
-- work: grows with the account's apps
SELECT app.id, json_strip_nulls(json_build_object('kind', 'app', 'id', app.id, 'slug', slug,
	'name', app.name, 'description', description, 'visibility', visibility,
	'isDisabled', status = 'disabled', 'createdAt', json_timestamp(app.created_at),
	'author', author, 'importedAs', imported_as, 'collection', app_collection.name,
	'category', nullif(category, ''), 'tags', nullif(tags, '[]')::json,
	'brokenReason', broken_reason))::text AS line
FROM app
LEFT JOIN app_collection ON app_collection.id = app.collection_id
WHERE account_id = :account_id AND NOT is_removed
ORDER BY app.created_at, app.id
