-- Devices in the pages: what panels say of themselves, and an order of the rotation that people
-- choose.

ALTER TABLE device ADD COLUMN connected_at timestamptz;
UPDATE device SET connected_at = last_online_at WHERE last_online_at > created_at + interval '1 second';
COMMENT ON COLUMN device.connected_at IS 'when a panel first connected, written behind; NULL: none has';

CREATE TABLE panel_info (
	device_id uuid PRIMARY KEY REFERENCES device ON DELETE CASCADE,
	firmware_version text,
	firmware_type text,
	protocol_version int4,
	hostname text,
	ssid text,
	wifi_signal int4,
	told_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	CONSTRAINT panel_info_lengths CHECK (
		char_length(firmware_version) BETWEEN 1 AND 64
		AND char_length(firmware_type) BETWEEN 1 AND 64
		AND char_length(hostname) BETWEEN 1 AND 64
		AND char_length(ssid) BETWEEN 1 AND 64)
);
COMMENT ON TABLE panel_info IS 'what a panel''s firmware has told of itself: text of strangers';
COMMENT ON COLUMN panel_info.wifi_signal IS 'dBm';

-- What the pages show of a device beside its settings.
CREATE VIEW device_more AS
SELECT device.id AS device_id, device.created_at, device.connected_at, device.serial,
	device.mac::text AS mac_text, device.disabled_at IS NOT NULL AS is_disabled,
	panel_info.device_id IS NULL AS is_untold, panel_info.firmware_version,
	panel_info.firmware_type, panel_info.protocol_version, panel_info.hostname, panel_info.ssid,
	panel_info.wifi_signal, coalesce(panel_info.told_at, device.created_at) AS told_at
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id;

-- position stays what it was, the name by which panels know an entry; rank is its place.
ALTER TABLE installation
	ADD COLUMN moved_to int8,
	ADD COLUMN rank int8 GENERATED ALWAYS AS (coalesce(moved_to, position)) STORED,
	ADD COLUMN replaced_at timestamptz,
	ADD COLUMN picture_hash text
		GENERATED ALWAYS AS (left(encode(sha256(picture), 'hex'), 32)) STORED,
	DROP CONSTRAINT installation_position_unique,
	ADD CONSTRAINT installation_rank_unique UNIQUE (device_id, rank);
COMMENT ON COLUMN installation.position IS
	'the device''s generation when the entry was made; never changes';
COMMENT ON COLUMN installation.moved_to IS
	'place in the rotation since that was reordered, above all earlier ones; NULL: position';
COMMENT ON COLUMN installation.rank IS 'place in the rotation';
COMMENT ON COLUMN installation.replaced_at IS 'when the picture was last replaced; NULL: never';
COMMENT ON COLUMN installation.picture_hash IS 'the name of the picture in the pages'' URLs';

ALTER TABLE showing
	ADD COLUMN picture_hash text
		GENERATED ALWAYS AS (left(encode(sha256(picture), 'hex'), 32)) STORED;

-- Devices of an account: for a limit, and because an account without any makes no API key.
ALTER TABLE account ADD COLUMN device_count int4 NOT NULL DEFAULT 0;
UPDATE account SET device_count = (SELECT count(*) FROM device WHERE account_id = account.id);
ALTER TABLE account ADD COLUMN has_device boolean GENERATED ALWAYS AS (device_count > 0) STORED;
COMMENT ON COLUMN account.device_count IS 'rows in device, kept by a trigger';

CREATE FUNCTION device_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE account
	SET device_count = device_count + changed.count * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
	FROM (SELECT account_id, count(*)::int4 AS count FROM changed GROUP BY account_id) AS changed
	WHERE account.id = changed.account_id;
	RETURN NULL;
END
$$;
CREATE TRIGGER device_inserted AFTER INSERT ON device
	REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION device_counted();
CREATE TRIGGER device_deleted AFTER DELETE ON device
	REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION device_counted();

-- A time as the API shows it; NULL stays NULL.
CREATE FUNCTION json_timestamp(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
