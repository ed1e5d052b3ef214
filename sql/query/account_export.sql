-- The lines of an account's export in their order, all from one snapshot: the account, its apps,
-- each with its versions and its draft, its devices, each with its entries, its keys and passkeys.
-- Revoked and expired objects are left out. Secret settings of an entry are as stored by this
-- instance. No row: the account is gone or is being removed.
-- {exported: KIND} stands for the members that tools/exported.py makes from docs/api.
-- params: account_id uuid
-- row: kind text, device_id uuid, entry text, line text, encrypted bytea?
-- work: grows with what the account has
-- connection: own
SELECT part.kind, part.device_id, part.entry, part.line, part.encrypted
FROM (SELECT * FROM account WHERE id = :account_id AND closed_at IS NULL) AS owner
CROSS JOIN LATERAL (
	(
		SELECT 'account' AS kind, '00000000-0000-0000-0000-000000000000'::uuid AS device_id, '' AS entry,
			json_strip_nulls(json_build_object('kind', 'account', 'format', 1,
				'madeAt', json_timestamp(present_time()), 'email', owner.email, 'name', owner.name,
				'createdAt', json_timestamp(owner.created_at), 'passwordHash', owner.password_hash,
				owner.{exported: account}))::text AS line,
			NULL::bytea AS encrypted
	) UNION ALL (
		SELECT of_app.kind, '00000000-0000-0000-0000-000000000000', '', of_app.line, NULL
		FROM (
			SELECT app.*, app_collection.name AS collection
			FROM app
			LEFT JOIN app_collection ON app_collection.id = app.collection_id
			WHERE app.account_id = owner.id AND NOT app.is_removed
			ORDER BY app.created_at, app.id
		) AS app
		CROSS JOIN LATERAL (
			(
				SELECT 'app' AS kind, json_strip_nulls(json_build_object('kind', 'app', 'id', app.id, 'slug', app.slug,
					'name', app.name, 'description', app.description, 'visibility', app.visibility,
					'isDisabled', app.status = 'disabled', 'createdAt', json_timestamp(app.created_at),
					'author', app.author, 'importedAs', app.imported_as, 'collection', app.collection,
					'category', nullif(app.category, ''), 'tags', nullif(app.tags, '[]')::json,
					'brokenReason', app.broken_reason, app.{exported: app}))::text AS line
			) UNION ALL (
				SELECT 'version', json_strip_nulls(json_build_object('kind', 'version', 'app', app.slug,
					'name', version.name, 'scriptLanguage', version.script_language,
					'scriptContent', version.script_content, 'status', version.status,
					'createdAt', json_timestamp(version.created_at),
					'reviewedAt', json_timestamp(version.reviewed_at),
					'rejectionReason', version.rejection_reason, 'reviewSummary', version.review_summary,
					'isDeployed', coalesce(app.deployed_version_id = version.id, false),
					'comments', (
						SELECT json_agg(json_build_object('author', author, 'comment', comment, 'line', line,
							'createdAt', json_timestamp(created_at)) ORDER BY position)
						FROM app_version_comment
						WHERE version_id = version.id)))::text
				FROM (
					SELECT *
					FROM app_version
					WHERE app_version.app_id = app.id
					ORDER BY app_version.sequence
				) AS version
			) UNION ALL (
				SELECT 'draft', json_build_object('kind', 'draft', 'app', app.slug,
					'scriptLanguage', draft.script_language, 'scriptContent', draft.script_content,
					draft.{exported: draft})::text
				FROM app_draft AS draft
				WHERE draft.app_id = app.id
			)
		) AS of_app
	) UNION ALL (
		SELECT of_device.kind, device.id, of_device.entry, of_device.line, of_device.encrypted
		FROM (
			SELECT *
			FROM device
			WHERE device.account_id = owner.id
			ORDER BY device.created_at, device.id
		) AS device
		CROSS JOIN LATERAL (
			(
				SELECT 'device' AS kind, '' AS entry, json_strip_nulls(json_build_object('kind', 'device',
					'id', device.id, 'name', device.name, 'serial', device.serial, 'mac', device.mac::text,
					'linkKeyHash', encode(device.link_key_hash, 'hex'),
					'createdAt', json_timestamp(device.created_at), 'isDisabled', device.disabled_at IS NOT NULL,
					'isSleepOn', device.sleep_enabled, 'sleepStart', json_clock(device.sleep_start_minute),
					'sleepEnd', json_clock(device.sleep_end_minute),
					'dimStart', CASE WHEN device.dim_enabled THEN json_clock(device.dim_start_minute) END,
					'dimBrightness', CASE WHEN device.dim_enabled THEN device.dim_brightness END,
					'nightBrightness', device.night_brightness, 'pictureLimit', device.picture_limit_bytes,
					device.{exported: device}))::text AS line, NULL::bytea AS encrypted
			) UNION ALL (
				SELECT 'entry', entry.id, json_strip_nulls(json_build_object('kind', 'entry', 'device', device.id,
					'id', entry.id, 'createdAt', json_timestamp(entry.created_at),
					'picture', translate(encode(entry.picture, 'base64'), E'\n', ''),
					'replacedAt', json_timestamp(entry.replaced_at),
					'expiresAt', json_timestamp(entry.expires_at),
					'app', (SELECT app.slug FROM app WHERE app.id = entry.app_id), 'appId', entry.app_id,
					'appCollection', (
						SELECT app_collection.name
						FROM app
						JOIN app_collection ON app_collection.id = app.collection_id
						WHERE app.id = entry.app_id),
					'settings', CASE WHEN entry.app_id IS NOT NULL THEN entry.settings::json END,
					'isEnabled', entry.is_enabled, 'displaySeconds', entry.display_s, 'name', entry.name,
					'hoursStart', json_clock(entry.start_minute), 'hoursEnd', json_clock(entry.end_minute),
					'weekdays', entry.weekdays,
					'isPinned', coalesce(device.pinned_installation_id = entry.id, false),
					'isNight', coalesce(device.night_installation_id = entry.id, false),
					entry.{exported: entry}))::text,
					entry.secret_settings
				FROM (
					SELECT *
					FROM installation
					WHERE installation.device_id = device.id AND is_present(installation.expires_at)
					ORDER BY installation.rank
				) AS entry
			)
		) AS of_device
	) UNION ALL (
		SELECT 'key', '00000000-0000-0000-0000-000000000000', '', json_strip_nulls(json_build_object('kind', 'key',
			'id', key.id, 'name', key.name, 'secretHash', encode(key.secret_hash, 'hex'),
			'firstCharacters', key.first_characters, 'scope', nullif(key.scope, 'all'),
			'deviceIds', key.device_ids, 'endsAt', json_timestamp(key.ends_at),
			'createdAt', json_timestamp(key.created_at),
			key.{exported: key}))::text, NULL
		FROM api_key AS key
		WHERE key.account_id = owner.id AND key.revoked_at IS NULL
		ORDER BY key.created_at, key.id
	) UNION ALL (
		SELECT 'passkey', '00000000-0000-0000-0000-000000000000', '', json_build_object('kind', 'passkey',
			'credentialId', passkey.credential_id, 'algorithm', passkey.algorithm,
			'publicKey', translate(encode(passkey.public_key, 'base64'), E'\n', ''),
			'signCount', passkey.sign_count, 'name', passkey.name,
			'createdAt', json_timestamp(passkey.created_at),
			passkey.{exported: passkey})::text, NULL
		FROM passkey
		WHERE passkey.account_id = owner.id
		ORDER BY passkey.created_at, passkey.id
	)
) AS part
