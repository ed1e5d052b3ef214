-- The installations of a device, in the order of its rotation. has_end: it expires.
-- params: device_id uuid
-- row: installation, has_end bool, rank int8
-- list: installation.rank
SELECT installation.id, installation.app_id IS NULL AS is_pushed, installation.app_id,
	app.name AS app_name, installation.created_at,
	installation.expires_at IS NOT NULL AS has_end, installation.rank
FROM installation
LEFT JOIN app ON app.id = installation.app_id
WHERE installation.device_id = :device_id AND is_present(installation.expires_at) AND {after}
{order}
