-- Updates of panels' firmware: an order to fetch an image, which the panel's next report confirms.
--
-- There are none so far. Older instances may run meanwhile: they take such an order as one to restart, which the update
-- shows as failed after some minutes, and they do not note that an update is done.
CREATE TABLE firmware_update (
	device_id uuid PRIMARY KEY REFERENCES device ON DELETE CASCADE,
	image_id uuid REFERENCES firmware_image ON DELETE SET NULL,
	version text NOT NULL,
	former_version text,
	asked_at timestamptz NOT NULL DEFAULT present_time(),
	sent_at timestamptz,
	fetched_at timestamptz,
	done_at timestamptz
) WITH (fillfactor = 70);
CREATE INDEX firmware_update_image ON firmware_update (image_id);
COMMENT ON TABLE firmware_update IS 'the last update of the firmware of each panel';
COMMENT ON COLUMN firmware_update.image_id IS 'NULL: it was removed meanwhile';
COMMENT ON COLUMN firmware_update.version IS 'of the image';
COMMENT ON COLUMN firmware_update.former_version IS 'that the panel had reported before; NULL: none';
COMMENT ON COLUMN firmware_update.sent_at IS 'a worker has sent the URL; NULL: not yet';
COMMENT ON COLUMN firmware_update.fetched_at IS 'the panel has begun to fetch the image; NULL: not yet';
COMMENT ON COLUMN firmware_update.done_at IS 'the panel has reported the version; NULL: not yet';

-- State of an update. One whose panel has not reported the version five minutes after it got the URL has failed, and so has
-- one whose URL no panel has taken in time (is_order_due()).
CREATE FUNCTION firmware_update_state(asked_at timestamptz, sent_at timestamptz, fetched_at timestamptz,
	done_at timestamptz) RETURNS text LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
	SELECT CASE
		WHEN done_at IS NOT NULL THEN 'done'
		WHEN coalesce(sent_at, asked_at + interval '1 minute') <= present_time() - interval '5 minutes' THEN 'failed'
		WHEN fetched_at IS NOT NULL THEN 'fetching'
		ELSE 'offered' END
$$;

-- With the newest version for the board, and the update.
CREATE OR REPLACE VIEW device_firmware AS
SELECT device.id AS device_id, device.board::text AS board, panel_info.firmware_version AS version,
	panel_info.firmware_type AS type, panel_info.protocol_version, panel_info.ssid, panel_info.wifi_signal,
	firmware_settings(panel_info.hostname, panel_info.settings)::text AS settings, panel_info.told_at AS reported_at,
	CASE WHEN change.device_id IS NOT NULL THEN json_build_object('settings', change.settings,
		'state', firmware_change_state(change.asked_at), 'askedAt', json_timestamp(change.asked_at))::text END AS change,
	newest.version AS available_version,
	CASE WHEN started.device_id IS NOT NULL THEN json_build_object('version', started.version,
		'formerVersion', started.former_version,
		'state', firmware_update_state(started.asked_at, started.sent_at, started.fetched_at, started.done_at),
		'askedAt', json_timestamp(started.asked_at))::text END AS update
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id
LEFT JOIN firmware_change AS change ON change.device_id = device.id
LEFT JOIN firmware_update AS started ON started.device_id = device.id
LEFT JOIN LATERAL (
	SELECT firmware_image.version
	FROM firmware_image
	WHERE firmware_image.board = device.board
	ORDER BY firmware_order(firmware_image.version) DESC, firmware_image.created_at DESC
	LIMIT 1
) AS newest ON true;
