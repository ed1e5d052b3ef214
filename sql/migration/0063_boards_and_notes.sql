-- Boards of panels, all that their firmware reports, and notes of owners about devices and entries.
--
-- No board is chosen so far, nothing more is reported, and no row has a note, so no row breaks a new rule. Older
-- instances may run meanwhile: they leave all of it out.

CREATE DOMAIN board_name AS text
	CONSTRAINT board_name_known CHECK (VALUE IN ('tidbyt_gen1', 'tidbyt_gen2', 'tronbyt_s3', 'tronbyt_s3_wide',
		'matrixportal_s3', 'matrixportal_s3_waveshare', 'waveshare_s3', 'pixoticker', 'raspberrypi',
		'raspberrypi_wide', 'other'));

ALTER TABLE device ADD COLUMN board board_name;
COMMENT ON COLUMN device.board IS 'board of its panel, chosen by the owner, since panels do not report it; NULL: not chosen';

CREATE DOMAIN note_text AS text CONSTRAINT note_text_length CHECK (char_length(VALUE) <= 1000);
ALTER TABLE device ADD COLUMN note note_text NOT NULL DEFAULT '';
COMMENT ON COLUMN device.note IS 'of its owner; empty: none';
-- No domain: PostgreSQL would copy the table, with all pictures. No constraint: each push would plan and check it.
ALTER TABLE installation ADD COLUMN note text NOT NULL DEFAULT '';
COMMENT ON COLUMN installation.note IS 'of its owner; empty: none';

ALTER TABLE panel_info ADD COLUMN settings jsonb NOT NULL DEFAULT '{}';
ALTER TABLE panel_info ADD CONSTRAINT panel_info_settings CHECK (octet_length(settings::text) <= 4096);
COMMENT ON COLUMN panel_info.settings IS 'settings of the firmware that it reported, with the names of the API';

-- Reported settings of a panel, also those that were stored before there was a column for all.
CREATE FUNCTION firmware_settings(hostname text, settings jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
	SELECT jsonb_strip_nulls(jsonb_build_object('hostname', hostname)) || coalesce(settings, '{}')
$$;

CREATE VIEW device_firmware AS
SELECT device.id AS device_id, device.board::text AS board, panel_info.firmware_version AS version,
	panel_info.firmware_type AS type, panel_info.protocol_version, panel_info.ssid, panel_info.wifi_signal,
	firmware_settings(panel_info.hostname, panel_info.settings)::text AS settings, panel_info.told_at AS reported_at
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id;

-- With the board, the note, and all that was reported.
CREATE OR REPLACE VIEW device_v0 AS
SELECT device.id, device.account_id, device.created_at, device.settings_revision, device.name,
	device.schedule_interval_s, device.brightness, device.auto_dim, device.sleep_enabled,
	coalesce(entry_id_v0(night.id, night.app_id), '') AS night_entry, device.sleep_start_minute,
	device.sleep_end_minute, device.night_brightness, NOT device.dim_enabled AS is_dim_off,
	device.dim_start_minute, device.dim_brightness,
	coalesce(entry_id_v0(pinned.id, pinned.app_id), '') AS pinned_entry,
	CASE WHEN device.connected_at IS NOT NULL THEN device.last_online_at END AS last_seen_at,
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
