-- Firmware and contact of a device's panel, for orders to it.
-- params: id uuid
-- row: firmware_version text?, last_online_at timestamptz, has_connected bool, alias text?
SELECT panel_info.firmware_version,
	greatest(device.last_online_at, (
		SELECT presence.seen_at FROM presence WHERE presence.id = device.online_by)) AS last_online_at,
	device.connected_at IS NOT NULL AS has_connected,
	device.alias
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id
WHERE device.id = :id
