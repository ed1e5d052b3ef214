-- Finds an app to run: its deployed version, the device whose zone and limits apply, and the
-- settings installed there. The app is chosen by its ID; if that is all zero, by its slug; if that
-- is empty, by the installation. No row: the account can neither install the app, nor has it on the
-- device. The schema is the version's own, made by this engine, and not too old. If it has more
-- than 64 KiB, the row has only its size, and app_schema_get reads it. The columns failure_... say
-- why the schema could not be made within the last minute with the same network access
-- (is_looked_at: no network). reaches_local: the preview may reach addresses that the operator has
-- opened to apps, because the app is installed, or because an administrator marked the account;
-- never if is_local_closed. is_use_due: the use of the form must be counted (app_schema_used). The
-- code is read when it is run (version_code).
-- params: account_id uuid, app_id uuid, slug text, device_id uuid, installation_id text, engine text,
--   is_looked_at bool
-- row: app_id uuid, slug text, name text, version_id uuid?, version text?, language text?,
--   checksum text?, has_schema bool, schema text?, schema_bytes int4, is_use_due bool, has_device bool, timezone text,
--   locale text, place text, picture_limit_bytes int4, size text, duration_s int4, turn_s int4, is_installed bool,
--   is_disabled bool,
--   settings text?, secret_settings bytea?, settings_hash bytea?, reach int2, reaches_local bool, code_bytes int4,
--   is_local_closed bool, has_failed bool,
--   failure_kind int2, failure_message text?, failure_file text?, failure_line int4,
--   failure_column int4
WITH owned AS (
	SELECT id, timezone, locale, place_json, picture_limit_bytes, size, schedule_interval_s
	FROM device
	WHERE id = :device_id AND account_id = :account_id
), entry AS (
	SELECT installation.app_id, installation.settings, installation.secret_settings,
		installation.settings_hash, installation.display_s, installation.plays_whole
	FROM owned
	JOIN installation ON installation.device_id = owned.id AND installation.id = :installation_id
	WHERE installation.app_id IS NOT NULL
)
SELECT app.id AS app_id, app.slug, app.name, version.id AS version_id, version.name AS version,
	version.script_language AS language, version.checksum,
	app_schema.version_id IS NOT NULL AS has_schema,
	CASE WHEN octet_length(app_schema.schema) <= 65536 THEN app_schema.schema END AS schema,
	coalesce(octet_length(app_schema.schema), 0) AS schema_bytes,
	coalesce(app_schema.used_at < present_time() - CASE
		WHEN app_schema.used_by IS DISTINCT FROM :account_id THEN interval '1 minute'
		ELSE interval '1 hour' END, false) AS is_use_due,
	owned.id IS NOT NULL AS has_device, coalesce(owned.timezone, 'UTC') AS timezone,
	coalesce(owned.locale, 'en') AS locale, coalesce(owned.place_json, '') AS place,
	coalesce(owned.picture_limit_bytes, 460000) AS picture_limit_bytes,
	coalesce(owned.size, '64x32') AS size,
	render_duration_s(coalesce(entry.display_s, owned.schedule_interval_s, 15),
		coalesce(entry.plays_whole, false)) AS duration_s,
	whole_turn_s(coalesce(entry.display_s, owned.schedule_interval_s, 15),
		coalesce(entry.plays_whole, false)) AS turn_s,
	entry.app_id IS NOT NULL AS is_installed, app.status = 'disabled' AS is_disabled,
	entry.settings, entry.secret_settings, entry.settings_hash, network.reach,
	network.reach = 2 AS reaches_local,
	coalesce(octet_length(app_compiled.javascript), octet_length(version.script_content), 0) AS code_bytes,
	NOT network.apps_reach_local AS is_local_closed,
	failure.version_id IS NOT NULL AS has_failed, coalesce(failure.kind, 0::int2) AS failure_kind,
	failure.message AS failure_message, failure.file AS failure_file,
	coalesce(failure.line, 0) AS failure_line, coalesce(failure."column", 0) AS failure_column
FROM app
LEFT JOIN app_version AS version ON version.id = app.deployed_version_id AND app.status = 'active'
LEFT JOIN app_compiled ON app_compiled.version_id = version.id
LEFT JOIN owned ON true
LEFT JOIN entry ON entry.app_id = app.id
LEFT JOIN app_schema ON app_schema.version_id = version.id
	AND app_schema.locale = coalesce(owned.locale, 'en') AND app_schema.engine = :engine
	AND (app_schema.hosts = '' OR app_schema.made_at > present_time() - interval '15 minutes')
CROSS JOIN LATERAL (
	SELECT (CASE WHEN :is_looked_at THEN 0
		WHEN site.apps_reach_local AND (entry.app_id IS NOT NULL OR (
			SELECT reaches_local FROM account WHERE id = :account_id)) THEN 2
		ELSE 1 END)::int2 AS reach, site.apps_reach_local
	FROM site
	WHERE site.is_it
) AS network
LEFT JOIN app_schema_failure AS failure ON failure.version_id = version.id
	AND failure.locale = coalesce(owned.locale, 'en') AND failure.reach = network.reach
	AND failure.engine = :engine AND failure.made_at > present_time() - interval '1 minute'
WHERE app.id = coalesce(app_meant(:account_id, :app_id, :slug),
		CASE WHEN :slug = '' THEN (SELECT app_id FROM entry) END)
	AND (entry.app_id IS NOT NULL OR version.id IS NOT NULL
		AND (app.visibility <> 'private' OR app.account_id = :account_id))
