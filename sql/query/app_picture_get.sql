-- The picture of an app that an account can install (see app_list). No row: there is none.
-- params: account_id uuid, app_id uuid, slug text
-- row: picture_hash text, picture bytea
-- effect: read
-- work: bounded
SELECT app_picture.picture_hash, app_picture.picture
FROM app
JOIN app_picture ON app_picture.version_id = app.deployed_version_id
WHERE app.status = 'active' AND (app.visibility <> 'private' OR app.account_id = :account_id)
	AND app.id = app_meant(:account_id, :app_id, :slug) AND app_picture.picture IS NOT NULL
