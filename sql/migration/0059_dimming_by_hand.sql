-- Dimming that was set, as sleep that was set (0038): until the plan of dimming changes next, or without a plan until it
-- is set again.
--
-- No row is dimmed by hand so far. Older instances may run meanwhile: their panels follow the plan alone.
ALTER TABLE device
	ADD COLUMN is_dim_set boolean NOT NULL DEFAULT false,
	ADD COLUMN is_set_dimmed boolean NOT NULL DEFAULT false,
	ADD COLUMN dim_set_until timestamptz;
COMMENT ON COLUMN device.is_dim_set IS
	'until dim_set_until (NULL: no end) it is dimmed if is_set_dimmed, else not, whatever its plan says';

-- Another plan, or another zone, counts at once.
CREATE FUNCTION device_dim_unset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.is_dim_set := false;
	RETURN NEW;
END
$$;
CREATE TRIGGER device_dim_unset
	BEFORE UPDATE OF dim_enabled, dim_start_minute, sleep_end_minute, timezone ON device
	FOR EACH ROW WHEN (OLD.is_dim_set AND (OLD.dim_enabled, OLD.dim_start_minute, OLD.sleep_end_minute,
		OLD.timezone) IS DISTINCT FROM (NEW.dim_enabled, NEW.dim_start_minute, NEW.sleep_end_minute,
		NEW.timezone))
	EXECUTE FUNCTION device_dim_unset();

-- With the end of dimming that was set. is_asleep_now() judges any window by the values of a row.
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
		AS dimmed_until
FROM device
CROSS JOIN LATERAL (SELECT is_asleep_now(device.is_sleep_set, device.sleep_set_until, device.is_set_asleep,
	device.sleep_enabled, device.sleep_start_minute, device.sleep_end_minute, device.timezone) AS is_asleep) AS now
LEFT JOIN panel_info ON panel_info.device_id = device.id
LEFT JOIN installation AS night ON night.device_id = device.id AND night.id = device.night_installation_id
	AND is_present(night.expires_at)
LEFT JOIN installation AS pinned ON pinned.device_id = device.id AND pinned.id = device.pinned_installation_id
	AND is_present(pinned.expires_at);
