-- Stores what panels have reported about themselves, many at once; an empty text and 0 mean that
-- the value was not reported. Devices that are being removed are left out. is_mac_new: the MAC
-- address differs from the one reported before. is_new: any value differs from the one reported
-- before, or it confirms a change of settings, which ends then, or an update of the firmware.
-- params: ids uuid[], firmware_versions text[], firmware_types text[], protocol_versions int8[],
--   hostnames text[], ssids text[], wifi_signals int8[], macs text[], settings text[]
-- row: device_id uuid, generation int8, is_mac_new bool, is_new bool
WITH told AS (
	SELECT id, nullif(firmware_version, '') AS firmware_version,
		nullif(firmware_type, '') AS firmware_type,
		nullif(protocol_version, 0)::int4 AS protocol_version,
		nullif(hostname, '') AS hostname, nullif(ssid, '') AS ssid,
		nullif(wifi_signal, 0)::int4 AS wifi_signal, nullif(mac, '')::macaddr AS mac,
		coalesce(nullif(settings, ''), '{}')::jsonb AS settings
	FROM unnest(:ids, :firmware_versions, :firmware_types, :protocol_versions, :hostnames,
			:ssids, :wifi_signals, :macs, :settings)
		AS told (id, firmware_version, firmware_type, protocol_version, hostname, ssid,
			wifi_signal, mac, settings)
), present AS (
	SELECT device.id, device.generation, coalesce(device.told_mac, device.mac) AS known_mac
	FROM device
	WHERE device.id = ANY (:ids)
	ORDER BY device.id
	FOR KEY SHARE SKIP LOCKED
), written AS (
	INSERT INTO panel_info AS info (device_id, firmware_version, firmware_type, protocol_version,
		hostname, ssid, wifi_signal, settings)
	SELECT told.id, told.firmware_version, told.firmware_type, told.protocol_version, told.hostname,
		told.ssid, told.wifi_signal, told.settings
	FROM told
	JOIN present USING (id)
	ORDER BY told.id
	ON CONFLICT (device_id) DO UPDATE
	SET firmware_version = excluded.firmware_version,
		firmware_type = excluded.firmware_type,
		protocol_version = excluded.protocol_version,
		hostname = excluded.hostname,
		ssid = excluded.ssid,
		wifi_signal = excluded.wifi_signal,
		settings = excluded.settings,
		told_at = present_time()
	WHERE (info.firmware_version, info.firmware_type, info.protocol_version, info.hostname,
			info.ssid, info.wifi_signal, info.settings)
		IS DISTINCT FROM (excluded.firmware_version, excluded.firmware_type,
			excluded.protocol_version, excluded.hostname, excluded.ssid,
			excluded.wifi_signal, excluded.settings)
	RETURNING info.device_id
), confirmed AS (
	DELETE FROM firmware_change
	WHERE device_id IN (
		SELECT change.device_id
		FROM firmware_change AS change
		JOIN present ON present.id = change.device_id
		JOIN told ON told.id = change.device_id AND told.settings @> change.settings
		WHERE change.sent_at IS NOT NULL
		ORDER BY change.device_id
		FOR UPDATE OF change SKIP LOCKED)
	RETURNING device_id
), updated AS (
	UPDATE firmware_update
	SET done_at = present_time()
	WHERE device_id IN (
		SELECT started.device_id
		FROM firmware_update AS started
		JOIN present ON present.id = started.device_id
		JOIN told ON told.id = started.device_id AND ltrim(told.firmware_version, 'vV') = started.version
		WHERE started.sent_at IS NOT NULL AND started.done_at IS NULL
		ORDER BY started.device_id
		FOR UPDATE OF started SKIP LOCKED)
	RETURNING device_id
)
SELECT present.id AS device_id, present.generation,
	told.mac IS NOT NULL AND told.mac IS DISTINCT FROM present.known_mac AS is_mac_new,
	EXISTS (SELECT FROM written WHERE written.device_id = present.id)
		OR EXISTS (SELECT FROM confirmed WHERE confirmed.device_id = present.id)
		OR EXISTS (SELECT FROM updated WHERE updated.device_id = present.id) AS is_new
FROM present
JOIN told ON told.id = present.id
