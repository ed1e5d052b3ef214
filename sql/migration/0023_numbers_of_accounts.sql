-- Serial numbers and MAC addresses identify a device within its account. Addresses that panels tell get a
-- column of their own, which claims nothing; those that were told before count as registered.
--
-- Every row that was valid stays valid. Older instances may run meanwhile: they store an address that a
-- panel tells as a registered one, if no device of any account has it, and for a number that several
-- accounts have they find any one of these devices.

ALTER TABLE device
	ADD COLUMN told_mac macaddr,
	DROP CONSTRAINT device_serial_unique,
	DROP CONSTRAINT device_mac_unique,
	ADD CONSTRAINT device_serial_unique UNIQUE (serial, account_id),
	ADD CONSTRAINT device_mac_unique UNIQUE (mac, account_id);
CREATE INDEX device_told_mac ON device (told_mac, account_id) WHERE told_mac IS NOT NULL;
CREATE INDEX device_link_key ON device (link_key_hash);
COMMENT ON COLUMN device.mac IS 'as it was registered';
COMMENT ON COLUMN device.told_mac IS
	'what the panel says of itself: finds the device in its account, unless another is registered so';

-- As before, except that mac_text is what the panel says if no address is registered.
CREATE OR REPLACE VIEW device_more AS
SELECT device.id AS device_id, device.created_at, device.connected_at, device.serial,
	coalesce(device.mac, device.told_mac)::text AS mac_text,
	device.disabled_at IS NOT NULL AS is_disabled,
	panel_info.device_id IS NULL AS is_untold, panel_info.firmware_version,
	panel_info.firmware_type, panel_info.protocol_version, panel_info.hostname, panel_info.ssid,
	panel_info.wifi_signal, coalesce(panel_info.told_at, device.created_at) AS told_at
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id;
