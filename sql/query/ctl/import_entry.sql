-- The next entry in the rotation of a device of an export. Its app: one of the same account, or one
-- that all may install; the same one, where its ID is here, else that of its collection, else the one
-- that the slug means. No row: there is no such app.
-- params: device_id uuid, account_id uuid, position int8, picture bytea?, settings text,
--   secret_settings bytea?, settings_hash bytea, line text
-- row: id uuid
-- effect: write
-- work: bounded
-- changes: told
-- refuse: device_entry_limit -> too_many_installations, installation_pkey -> entry_taken
-- refuse: 22 -> not_storable, 23 -> not_storable
WITH line AS (
	SELECT *
	FROM jsonb_to_record(:line::jsonb)
		AS line (id text, "createdAt" timestamptz, "replacedAt" timestamptz,
			"expiresAt" timestamptz, app text, "appId" uuid, "appCollection" text,
			"isEnabled" boolean, "displaySeconds" int4, "hoursStart" time, "hoursEnd" time,
			weekdays int2, name text, "isPinned" boolean, "isNight" boolean)
), wanted AS (
	SELECT line.*, app.id AS app_id
	FROM line
	LEFT JOIN app ON app.id = coalesce(
			(SELECT same.id FROM app AS same WHERE same.id = "appId" AND same.slug = line.app),
			(SELECT same.id FROM app AS same
				JOIN app_collection ON app_collection.id = same.collection_id
				WHERE same.slug = line.app AND app_collection.name = "appCollection"),
			app_named(:account_id, line.app))
		AND (app.account_id = :account_id
			OR (app.visibility <> 'private' AND app.status = 'active'))
	WHERE line.app IS NULL OR app.id IS NOT NULL
), fresh AS (
	INSERT INTO installation (device_id, id, app_id, position, created_at, picture,
		picture_hash, picture_generation, replaced_at, expires_at, expires_generation,
		is_enabled, display_s, start_minute, end_minute, weekdays,
		name, settings, secret_settings, settings_hash)
	SELECT :device_id, id, app_id, :position, least("createdAt", present_time()), :picture,
		picture_name(:picture), :position,
		CASE WHEN "replacedAt" IS NOT NULL THEN least("replacedAt", present_time()) END,
		"expiresAt", :position, "isEnabled", "displaySeconds",
		extract(epoch FROM "hoursStart") / 60, extract(epoch FROM "hoursEnd") / 60, weekdays, name,
		:settings, :secret_settings, :settings_hash
	FROM wanted
	RETURNING device_id, id, app_id, installation.settings
), unsealed AS (
	-- The app's version here may declare secret what the other instance had in the clear.
	SELECT app_is_to_be_sealed(app_id)
	FROM fresh
	WHERE app_id IS NOT NULL AND settings <> '{}'
), touched AS (
	UPDATE device
	SET generation = :position,
		pinned_installation_id = CASE
			WHEN "isPinned" THEN fresh.id ELSE pinned_installation_id END,
		night_installation_id = CASE WHEN "isNight" THEN fresh.id ELSE night_installation_id END
	FROM line, fresh
	LEFT JOIN unsealed ON true
	WHERE device.id = fresh.device_id
	RETURNING device.id
), told AS (
	SELECT pg_notify('displayd_hint', 'read:' || id)
	FROM touched
)
SELECT touched.id
FROM touched, told
