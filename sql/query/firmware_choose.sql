-- Board, firmware and last contact of a device's panel, and the image that an update would send to it: that of
-- the version, or the newest one for its board. No image: image_id is NULL. is_newer: the image's version is
-- higher than the one that the panel reported; is_same: it is that one. No row: the device is gone.
-- params: id uuid, version text?
-- row: board text?, firmware_version text?, last_online_at timestamptz, has_connected bool, image_id uuid?,
--   image_version text?, is_newer bool, is_same bool
SELECT device.board::text AS board, panel_info.firmware_version,
	greatest(device.last_online_at, (
		SELECT presence.seen_at FROM presence WHERE presence.id = device.online_by)) AS last_online_at,
	device.connected_at IS NOT NULL AS has_connected, image.id AS image_id, image.version AS image_version,
	coalesce(firmware_order(image.version) > firmware_order(panel_info.firmware_version), true) AS is_newer,
	coalesce(image.version = ltrim(panel_info.firmware_version, 'vV'), false) AS is_same
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id
LEFT JOIN LATERAL (
	SELECT firmware_image.id, firmware_image.version
	FROM firmware_image
	WHERE firmware_image.board = device.board AND (:version IS NULL OR firmware_image.version = ltrim(:version, 'vV'))
	ORDER BY firmware_order(firmware_image.version) DESC, firmware_image.created_at DESC
	LIMIT 1
) AS image ON true
WHERE device.id = :id
