-- A device with all that its plan needs. entry_ids: of its entries, a line each, if its plan names one; else empty.
-- No row: it is gone.
-- params: id uuid
-- row: (device), sleep_setting, dim_setting, now_at timestamptz, entry_ids text
SELECT ROW({device}) AS device, {sleep_setting}, {dim_setting}, present_time() AS now_at,
	CASE WHEN plan_json LIKE '%"installationId"%' THEN coalesce((
		SELECT string_agg(installation.id, E'\n')
		FROM installation
		WHERE installation.device_id = device.id AND is_present(installation.expires_at)
	), '') ELSE '' END AS entry_ids
FROM device
WHERE id = :id
