-- Settings of panels' firmware that were changed here: a worker sends them to the panel, and its next report confirms
-- them.
--
-- There are none so far, so no row breaks a new rule. Older instances may run meanwhile: they neither send them nor note
-- that they are confirmed, so a change may stay unconfirmed if the panel is connected there; and they move a panel to
-- their own public URL, whatever address was given.
CREATE TABLE firmware_change (
	device_id uuid PRIMARY KEY REFERENCES device ON DELETE CASCADE,
	settings jsonb NOT NULL,
	asked_at timestamptz NOT NULL DEFAULT present_time(),
	sent_at timestamptz,
	CONSTRAINT firmware_change_settings CHECK (octet_length(settings::text) <= 4096)
) WITH (fillfactor = 70);
COMMENT ON TABLE firmware_change IS 'settings for panels that these have not confirmed';
COMMENT ON COLUMN firmware_change.settings IS 'names of the API, and values';
COMMENT ON COLUMN firmware_change.sent_at IS 'a worker has sent them; NULL: not yet';

CREATE DOMAIN server_url AS text CONSTRAINT server_url_length CHECK (char_length(VALUE) <= 100);
ALTER TABLE device
	ADD COLUMN firmware_generation int8,
	ADD COLUMN order_url server_url;
COMMENT ON COLUMN device.firmware_generation IS
	'generation at which settings for its panel were stored that no worker has sent; NULL: none';
COMMENT ON COLUMN device.order_url IS
	'with order_key: start of the URL to which its panel moves; NULL: that of the instance which sends the order';

CREATE FUNCTION firmware_change_state(asked_at timestamptz) RETURNS text LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
	SELECT CASE WHEN asked_at > present_time() - interval '1 minute' THEN 'waiting' ELSE 'unconfirmed' END
$$;

CREATE OR REPLACE VIEW device_firmware AS
SELECT device.id AS device_id, device.board::text AS board, panel_info.firmware_version AS version,
	panel_info.firmware_type AS type, panel_info.protocol_version, panel_info.ssid, panel_info.wifi_signal,
	firmware_settings(panel_info.hostname, panel_info.settings)::text AS settings, panel_info.told_at AS reported_at,
	CASE WHEN change.device_id IS NOT NULL THEN json_build_object('settings', change.settings,
		'state', firmware_change_state(change.asked_at), 'askedAt', json_timestamp(change.asked_at))::text END AS change
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id
LEFT JOIN firmware_change AS change ON change.device_id = device.id;
