-- Copies an entry of a device (source_id, source_entry) to the end of the rotation of a device of the same
-- account, with its options and the settings that are given, encrypted for the copy. It is neither pinned nor
-- shown at night there. The parameter id is that of an app's copy; the copy of a pushed image has the same ID,
-- or the first of ID-2, ID-3, ... that is free. seen_hash: hash of the settings that were read. is_full: the
-- account has no room for the image, and nothing was stored. No row: the entry, or one of the devices is gone,
-- the settings have changed, the app cannot be installed, or another entry has taken the ID meanwhile.
-- params: source_id uuid, source_entry text, device_id uuid, id text, settings text, secret_settings bytea?,
--   settings_hash bytea, seen_hash bytea
-- row: installation, generation int8, is_full bool
-- changes: device_id
-- refuse: device_entry_limit -> too_many_installations
WITH source AS (
	SELECT installation.*
	FROM installation
	WHERE device_id = :source_id AND id = :source_entry AND is_present(expires_at)
		AND settings_hash = :seen_hash
), chosen AS (
	SELECT app.id, app.name
	FROM source
	JOIN device ON device.id = :device_id
	JOIN app ON app.id = source.app_id
	WHERE app.status = 'active' AND app.deployed_version_id IS NOT NULL
		AND (app.visibility <> 'private' OR app.account_id = device.account_id)
	FOR SHARE OF app
), locked AS (
	SELECT device.id, device.account_id, device.generation, device.entry_count
	FROM device, source
	WHERE device.id = :device_id AND (source.app_id IS NULL OR EXISTS (SELECT FROM chosen))
	FOR NO KEY UPDATE OF device
), named AS MATERIALIZED (
	SELECT locked.*, CASE WHEN source.app_id IS NOT NULL THEN :id ELSE (
			SELECT wanted.id
			FROM (
				SELECT source.id, 1 AS number
				UNION ALL
				SELECT left(source.id, 63 - length(number::text)) || '-' || number, number
				FROM generate_series(2, 102) AS number
			) AS wanted
			WHERE NOT EXISTS (
				SELECT FROM installation WHERE device_id = locked.id AND installation.id = wanted.id)
			ORDER BY wanted.number
			LIMIT 1
		) END AS name,
		coalesce(push_room(locked.account_id, locked.id, NULL, false, length(source.picture)) < 0, false)
			AS is_full
	FROM locked, source
), made AS (
	INSERT INTO installation (device_id, id, app_id, position, settings, secret_settings, settings_hash, name,
		{installation_change}, display_s, start_minute, end_minute, weekdays, picture, picture_hash,
		picture_generation,
		expires_at, expires_generation)
	SELECT named.id, named.name, source.app_id, named.generation + 1, :settings, :secret_settings, :settings_hash,
		source.name, source.{installation_change}, source.display_s, source.start_minute, source.end_minute,
		source.weekdays, source.picture, source.picture_hash,
		CASE WHEN source.app_id IS NULL THEN named.generation + 1 ELSE 0 END, source.expires_at,
		CASE WHEN source.expires_at IS NOT NULL THEN named.generation + 1 END
	FROM named, source
	-- The cast refuses an entry of a full device before its picture is written.
	WHERE NOT named.is_full AND (named.entry_count + 1)::device_entry_count IS NOT NULL
	ON CONFLICT (device_id, id) DO NOTHING
	RETURNING device_id, id, app_id, created_at
), touched AS (
	UPDATE device
	SET generation = device.generation + 1
	FROM made
	WHERE device.id = made.device_id
	RETURNING device.generation
)
SELECT coalesce(made.id, named.name) AS id, made.app_id IS NULL AS is_pushed, made.app_id, chosen.name AS app_name,
	coalesce(made.created_at, present_time()) AS created_at,
	coalesce(touched.generation, named.generation) AS generation, named.is_full
FROM named
LEFT JOIN made ON true
LEFT JOIN touched ON true
LEFT JOIN chosen ON true
WHERE named.is_full OR made.id IS NOT NULL
