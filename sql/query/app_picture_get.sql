-- The picture of an app that an account can install (see app_list): the rendered one, else the one
-- that it was imported with. No row: there is none.
-- params: account_id uuid, app_id uuid, slug text
-- row: picture_hash text, picture bytea
SELECT coalesce(app_picture.picture_hash, app_own_picture.picture_hash) AS picture_hash,
	coalesce(app_picture.picture, app_own_picture.picture) AS picture
FROM app
LEFT JOIN app_picture ON app_picture.version_id = app.deployed_version_id
LEFT JOIN app_own_picture ON app_own_picture.app_id = app.id
WHERE app.status = 'active' AND (app.visibility <> 'private' OR app.account_id = :account_id)
	AND app.id = app_meant(:account_id, :app_id, :slug)
	AND coalesce(app_picture.picture, app_own_picture.picture) IS NOT NULL
