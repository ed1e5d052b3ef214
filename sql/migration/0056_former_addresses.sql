-- Devices of a tronbyt server keep whatever ID they had there. One that can be guessed ("living-room") belongs to a
-- device together with the device's key: several accounts may have the same, and the key decides. Without the key it
-- works if the owner has said so at the import, and has the only account of the server: what a stranger could claim
-- first is worth nothing to the stranger, and takes nothing from others.
--
-- Apps are found by their names and by folders as that server writes them, and /v0 shows whether it is night.
--
-- No row breaks a new rule: each address is a number of 32 bits so far. Earlier programs may run meanwhile: they do not
-- know other addresses than such numbers, whose rules stay, and refuse their panels until they are replaced.

ALTER DOMAIN former_id DROP CONSTRAINT former_id_form;
ALTER DOMAIN former_id ADD CONSTRAINT former_id_form CHECK (VALUE ~ '^[0-9A-Za-z-]{1,100}$');

ALTER TABLE device
	ADD COLUMN alias_is_guessable boolean NOT NULL DEFAULT false,
	ADD COLUMN alias_is_open boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN device.alias_is_guessable IS
	'others can guess the alias, so it counts with alias_key_hash only, unless alias_is_open';
COMMENT ON COLUMN device.alias_is_open IS
	'the owner has said that the panel may come to a guessable alias without the key, while there is one account';

DROP INDEX device_alias_unique;
CREATE UNIQUE INDEX device_alias_unique ON device (alias) WHERE alias IS NOT NULL AND NOT alias_is_guessable;
CREATE UNIQUE INDEX device_alias_key_unique ON device (alias, alias_key_hash) WHERE alias IS NOT NULL;
CREATE INDEX device_alias_open ON device (account_id) WHERE alias_is_open;

-- Whether the server has no other account. In plpgsql, whose plans are kept.
CREATE FUNCTION is_only_account(of_account uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN NOT EXISTS (SELECT FROM account WHERE id <> of_account AND closed_at IS NULL);
END
$$;

-- Panels that came without a key are dropped by the workers that have them in memory. The lock makes an import that is
-- under way end first, so that its devices are seen.
CREATE FUNCTION account_joined() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	others uuid[] := ARRAY(SELECT id FROM account WHERE id <> NEW.id AND closed_at IS NULL LIMIT 2);
BEGIN
	IF cardinality(others) = 1 THEN
		PERFORM FROM account WHERE id = others[1] FOR NO KEY UPDATE;
		UPDATE device SET generation = generation + 1 WHERE account_id = others[1] AND alias_is_open;
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER account_joined AFTER INSERT ON account FOR EACH ROW EXECUTE FUNCTION account_joined();

-- Letters and digits alone: "Big Clock", "big-clock", "bigclock" and "big_clock" are the same.
CREATE FUNCTION app_letters(told text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT regexp_replace(lower(told), '[^a-z0-9]', '', 'g')
$$;
CREATE INDEX app_slug_letters ON app (app_letters(slug));
CREATE INDEX app_name_lower ON app (lower(name));

-- Whether a device with these values of its row sleeps now: as it was set, else by its plan. It does not take the row: a
-- function that does must be dropped before the table, and restore drops functions last.
CREATE FUNCTION is_asleep_now(is_set boolean, set_until timestamptz, is_set_asleep boolean, has_plan boolean,
	start_minute int2, end_minute int2, zone text) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN is_set AND (set_until IS NULL OR set_until > present_time()) THEN is_set_asleep
		ELSE has_plan AND (SELECT plan.is_asleep FROM sleep_plan(start_minute, end_minute, zone, present_time()) AS plan)
		END
$$;

-- With what is so now. is_dim_off and dim_start_minute stay for earlier programs.
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
	device.dim_enabled AND NOT now.is_asleep AND (SELECT plan.is_asleep
		FROM sleep_plan(device.dim_start_minute, device.sleep_end_minute, device.timezone, present_time()) AS plan)
		AS is_dimmed,
	CASE WHEN device.dim_enabled THEN json_clock(device.dim_start_minute) END AS dim_start
FROM device
CROSS JOIN LATERAL (SELECT is_asleep_now(device.is_sleep_set, device.sleep_set_until, device.is_set_asleep,
	device.sleep_enabled, device.sleep_start_minute, device.sleep_end_minute, device.timezone) AS is_asleep) AS now
LEFT JOIN panel_info ON panel_info.device_id = device.id
LEFT JOIN installation AS night ON night.device_id = device.id AND night.id = device.night_installation_id
	AND is_present(night.expires_at)
LEFT JOIN installation AS pinned ON pinned.device_id = device.id AND pinned.id = device.pinned_installation_id
	AND is_present(pinned.expires_at);
