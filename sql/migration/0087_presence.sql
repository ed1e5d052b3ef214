-- Processes that say of devices that their panels are online: a device names its process, and only that process writes each
-- few seconds. So a panel that rests writes nothing. No device names any so far.
--
-- Older instances that run meanwhile go on writing when devices were last online, which newer ones read as before. They
-- show a device whose panel rests at a newer instance as offline, from a minute after its panel has come.
CREATE TABLE presence (
	id uuid PRIMARY KEY,
	seen_at timestamptz NOT NULL,
	swept_to uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);
COMMENT ON TABLE presence IS 'worker processes that hold devices, and those that have ended, until nothing names them';
COMMENT ON COLUMN presence.seen_at IS 'when it was surely running: the panels that it holds were online then';
COMMENT ON COLUMN presence.swept_to IS 'of one that has ended: devices up to this ID name it no more';

ALTER TABLE device ADD COLUMN online_by uuid;
COMMENT ON COLUMN device.online_by IS
	'process that has its panel: it was last online when that was seen, if this is later than last_online_at; NULL: none';

-- With the time of a panel that rests.
CREATE OR REPLACE VIEW device_v0 AS
SELECT device.id, device.account_id, device.created_at, device.settings_revision, device.name,
	device.schedule_interval_s, device.brightness, device.auto_dim, device.sleep_enabled,
	coalesce(entry_id_v0(night.id, night.app_id), '') AS night_entry, device.sleep_start_minute,
	device.sleep_end_minute, device.night_brightness, NOT device.dim_enabled AS is_dim_off,
	device.dim_start_minute, device.dim_brightness,
	coalesce(entry_id_v0(pinned.id, pinned.app_id), '') AS pinned_entry,
	CASE WHEN device.connected_at IS NOT NULL THEN greatest(device.last_online_at,
		(SELECT presence.seen_at FROM presence WHERE presence.id = device.online_by)) END AS last_seen_at,
	panel_info.firmware_version, panel_info.firmware_type, panel_info.protocol_version,
	coalesce(device.mac, device.told_mac)::text AS mac_text,
	now.is_asleep,
	CASE WHEN device.is_sleep_set AND device.sleep_set_until > present_time() THEN device.sleep_set_until END
		AS asleep_until,
	device.dim_enabled,
	NOT now.is_asleep AND is_asleep_now(device.is_dim_set, device.dim_set_until, device.is_set_dimmed,
		device.dim_enabled, device.dim_start_minute, device.sleep_end_minute, device.timezone) AS is_dimmed,
	CASE WHEN device.dim_enabled THEN json_clock(device.dim_start_minute) END AS dim_start,
	CASE WHEN device.is_dim_set AND device.dim_set_until > present_time() THEN device.dim_set_until END
		AS dimmed_until,
	device.board::text AS board, device.note,
	(jsonb_build_object('firmwareVersion', coalesce(panel_info.firmware_version, ''),
		'firmwareType', coalesce(panel_info.firmware_type, ''), 'protocolVersion', panel_info.protocol_version,
		'macAddress', coalesce(coalesce(device.mac, device.told_mac)::text, ''))
		|| jsonb_strip_nulls(jsonb_build_object('ssid', panel_info.ssid))
		|| firmware_settings(panel_info.hostname, panel_info.settings))::text AS info
FROM device
CROSS JOIN LATERAL (SELECT is_asleep_now(device.is_sleep_set, device.sleep_set_until, device.is_set_asleep,
	device.sleep_enabled, device.sleep_start_minute, device.sleep_end_minute, device.timezone) AS is_asleep) AS now
LEFT JOIN panel_info ON panel_info.device_id = device.id
LEFT JOIN installation AS night ON night.device_id = device.id AND night.id = device.night_installation_id
	AND is_present(night.expires_at)
LEFT JOIN installation AS pinned ON pinned.device_id = device.id AND pinned.id = device.pinned_installation_id
	AND is_present(pinned.expires_at);
