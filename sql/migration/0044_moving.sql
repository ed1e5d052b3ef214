-- Devices that come from a tronbyt server: the ID that they had there, and the address at which their panels may still
-- come. Orders for a panel (start again; come to another address), until a worker has sent them.
--
-- No row changes: no device was imported, and nothing is ordered. Earlier programs may run meanwhile: they do not know
-- such addresses, and send no orders.

CREATE DOMAIN former_id AS text CONSTRAINT former_id_form CHECK (VALUE ~ '^[0-9a-f]{8}$');

ALTER TABLE device
	ADD COLUMN imported_as former_id,
	ADD COLUMN alias former_id,
	ADD COLUMN alias_key_hash sha256_hash,
	ADD COLUMN second_key_hash sha256_hash,
	ADD COLUMN order_generation int8,
	ADD COLUMN ordered_at timestamptz,
	ADD COLUMN order_key bytea;
COMMENT ON COLUMN device.imported_as IS 'its ID on the server that it was imported from; NULL: it was made here';
COMMENT ON COLUMN device.alias IS
	'its panel may come to /ALIAS/next and /ALIAS/ws, without the key; NULL: to its own address only';
COMMENT ON COLUMN device.alias_key_hash IS
	'SHA-256 of the key that its panel must show at the alias; NULL: none';
COMMENT ON COLUMN device.second_key_hash IS
	'SHA-256 of a key that is link_key_hash from the moment that the panel comes with it';
COMMENT ON COLUMN device.order_generation IS
	'generation at which its panel was told to start again; NULL: a worker has sent the order, or there is none';
COMMENT ON COLUMN device.order_key IS
	'second key, encrypted, as long as it is that: an order tells the panel its new address first, each time the same';

CREATE UNIQUE INDEX device_alias_unique ON device (alias) WHERE alias IS NOT NULL;
CREATE UNIQUE INDEX device_imported_unique ON device (account_id, imported_as) WHERE imported_as IS NOT NULL;

-- Whether an order of that time still is for the panel. One that no panel has taken in time is none: a panel that polls
-- comes every six minutes at least.
CREATE FUNCTION is_order_due(ordered_at timestamptz) RETURNS boolean LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
	SELECT ordered_at > present_time() - interval '6 minutes'
$$;

-- With the alias.
CREATE OR REPLACE VIEW device_more AS
SELECT device.id AS device_id, device.created_at, device.connected_at, device.serial,
	coalesce(device.mac, device.told_mac)::text AS mac_text,
	device.disabled_at IS NOT NULL AS is_disabled,
	panel_info.device_id IS NULL AS is_untold, panel_info.firmware_version,
	panel_info.firmware_type, panel_info.protocol_version, panel_info.hostname, panel_info.ssid,
	panel_info.wifi_signal, coalesce(panel_info.told_at, device.created_at) AS told_at,
	device.alias::text AS alias, device.second_key_hash IS NOT NULL AS is_moving
FROM device
LEFT JOIN panel_info ON panel_info.device_id = device.id;
