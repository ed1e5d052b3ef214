-- Pins an entry of a device, and unpins another one. The entry: the one with this ID, or, if there is none and it has
-- the form of a UUID, with it in lower case; else the first one of the app with this ID or slug. id and slug "" and
-- app_id all zero: unpins. has_entry: otherwise the device has no such entry, and nothing was changed. No row: the
-- device is gone.
-- params: device_id uuid, id text, app_id uuid, slug text
-- row: generation int8, has_entry bool
-- changes: device_id
-- refuse: device_pinned_fkey -> entry_gone
WITH asked AS MATERIALIZED (
	SELECT device.id, device.generation, (
			SELECT installation.id
			FROM installation
			WHERE installation.device_id = device.id AND is_present(installation.expires_at)
				AND CASE
					WHEN :id ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
						THEN installation.id IN (:id, lower(:id))
					WHEN :id <> '' THEN installation.id = :id
					ELSE installation.app_id = app_meant(device.account_id, :app_id, :slug)
				END
			ORDER BY installation.id = :id DESC, installation.rank
			LIMIT 1
		) AS entry,
		:id = '' AND :slug = '' AND :app_id = '00000000-0000-0000-0000-000000000000' AS unpins
	FROM device
	WHERE device.id = :device_id
	FOR NO KEY UPDATE
), touched AS (
	UPDATE device
	SET generation = device.generation + 1,
		pinned_installation_id = CASE WHEN NOT asked.unpins THEN asked.entry END
	FROM asked
	WHERE device.id = asked.id AND (asked.unpins OR asked.entry IS NOT NULL)
	RETURNING device.generation
)
SELECT coalesce(touched.generation, asked.generation) AS generation, touched.generation IS NOT NULL AS has_entry
FROM asked
LEFT JOIN touched ON true
