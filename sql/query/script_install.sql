-- Makes a private app of a script, or a further version of the app that the account has under this slug, approves
-- the version for its owner, deploys it, and adds the app at the end of a device's rotation, unless it is there. An
-- approved version of this name is deployed again.
-- No row: the device or its account is gone. app_id is all zero: the account's app of this slug is public or disabled,
-- or has a version of this name that is not approved; nothing was changed. is_new: the app is. id: of the entry.
-- generation, device_generation: of the app; of the device, or 0 if the entry was there.
-- params: device_id uuid, app_id uuid, slug text, name text, description text, version_id uuid, version text,
--   script_language text, script_content text, checksum text, installation_id text, address text?, session_id uuid
-- row: script_installed, generation int8, device_generation int8
-- changes: device_id
-- refuse: device_entry_limit -> too_many_installations, account_app_limit -> too_many_apps,
--   app_version_limit -> too_many_versions, app_version_name_unique -> version_name_used, 54D01 -> too_many_bytes,
--   app_slug_unique -> slug_taken
WITH owner AS (
	SELECT account.id, account.name, account.email
	FROM device
	JOIN account ON account.id = device.account_id AND account.closed_at IS NULL
	WHERE device.id = :device_id
), former AS (
	SELECT app.id, app.visibility = 'private' AND app.status <> 'disabled' AS is_open
	FROM app
	JOIN owner ON owner.id = app.account_id
	WHERE app.slug = :slug AND app.collection_id IS NULL AND NOT app.is_removed
	FOR NO KEY UPDATE OF app
), known AS (
	SELECT app_version.id, app_version.status = 'APPROVED' AS is_approved
	FROM former
	JOIN app_version ON app_version.app_id = former.id AND app_version.name = :version
), chosen AS (
	SELECT owner.id AS account_id, coalesce(former.id, :app_id) AS app_id, former.id IS NULL AS is_made,
		coalesce(known.id, :version_id) AS version_id, known.id IS NULL AS is_fresh
	FROM owner
	LEFT JOIN former ON true
	LEFT JOIN known ON true
	WHERE coalesce(former.is_open, true) AND coalesce(known.is_approved, true)
		AND (known.id IS NOT NULL OR account_takes(owner.id, octet_length(:script_content)))
), made AS (
	INSERT INTO app (id, account_id, slug, name, description, visibility, status, is_submitted, deployed_version_id,
		generation)
	SELECT chosen.app_id, chosen.account_id, :slug, :name, :description, 'private', 'active', true, chosen.version_id, 1
	FROM chosen
	WHERE chosen.is_made
	RETURNING id, slug, name, generation
), deployed AS (
	UPDATE app
	SET deployed_version_id = chosen.version_id,
		is_submitted = true,
		status = 'active',
		generation = app.generation + 1
	FROM chosen
	WHERE app.id = chosen.app_id AND NOT chosen.is_made
	RETURNING app.id, app.slug, app.name, app.generation
), versioned AS (
	INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status, reviewed_at,
		review_summary)
	SELECT chosen.version_id, chosen.app_id, :version, :script_language, :script_content, :checksum, 'APPROVED',
		present_time(), own_approval()
	FROM chosen
	WHERE chosen.is_fresh AND app_takes_version(chosen.app_id, :version, false)
	RETURNING id
), remarked AS (
	INSERT INTO app_version_comment (version_id, position, author, comment)
	SELECT versioned.id, 1, owner.name, own_approval()
	FROM versioned, owner
), shown AS (
	SELECT id, slug, name, generation FROM made
	UNION ALL
	SELECT id, slug, name, generation FROM deployed
), entry AS (
	SELECT installation.id, installation.created_at
	FROM installation
	JOIN chosen ON chosen.app_id = installation.app_id
	WHERE installation.device_id = :device_id
	ORDER BY installation.position
	LIMIT 1
), touched AS (
	UPDATE device
	SET generation = device.generation + 1
	FROM shown
	WHERE device.id = :device_id AND NOT EXISTS (SELECT FROM entry)
	RETURNING device.id, device.generation, device.entry_count
), fresh AS (
	INSERT INTO installation (device_id, id, app_id, position)
	SELECT touched.id, :installation_id, shown.id, touched.generation
	FROM touched, shown
	WHERE (touched.entry_count + 1)::device_entry_count IS NOT NULL
	RETURNING id, created_at
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT owner.id, owner.email, 'app.install', shown.slug || ' ' || :version, :address, :session_id
	FROM shown, owner
)
SELECT coalesce(fresh.id, entry.id, '') AS id,
	coalesce(shown.id, '00000000-0000-0000-0000-000000000000') AS app_id, coalesce(shown.slug, '') AS slug,
	coalesce(shown.name, '') AS name, :version AS version, coalesce(chosen.is_made, false) AS is_new,
	coalesce(shown.generation, 0) AS generation, coalesce(touched.generation, 0) AS device_generation
FROM owner
LEFT JOIN chosen ON true
LEFT JOIN shown ON true
LEFT JOIN touched ON true
LEFT JOIN fresh ON true
LEFT JOIN entry ON true
