-- Starts to update all panels of an account for which there is a higher version; of a key for chosen devices, only
-- these. The others are left out, with the reason. Row without state: one is running. No row: the account is gone.
-- The oldest row_limit devices have their turn if the account has more.
-- params: account_id uuid, chosen_ids uuid[], series_id uuid, row_limit int8, address text?, session_id uuid
-- row: series_id uuid?
WITH series AS (
	INSERT INTO firmware_series AS series (account_id, series_id, state, address, session_id)
	SELECT account.id, :series_id, 'running', :address, :session_id
	FROM account
	WHERE account.id = :account_id
	ON CONFLICT (account_id) DO UPDATE
	SET series_id = excluded.series_id, state = 'running', problem = NULL, started_at = excluded.started_at,
		ended_at = NULL, address = excluded.address, session_id = excluded.session_id
	WHERE series.state <> 'running'
	RETURNING series.series_id, series.account_id
), dropped AS (
	DELETE FROM firmware_series_device AS old
	USING series
	WHERE old.account_id = series.account_id AND old.series_id <> series.series_id
), judged AS (
	SELECT device.id, device.created_at, image.version, CASE
		WHEN device.disabled_at IS NOT NULL THEN 'the device is disabled'
		WHEN device.board IS NULL THEN 'the device has no board; choose it first'
		WHEN device.board = 'pixoticker' THEN 'panels with the board pixoticker have no room for updates'
		WHEN image.version IS NULL THEN 'the server has no firmware for the board ' || device.board
		WHEN info.firmware_version IS NULL THEN 'the panel has not reported its firmware'
		WHEN firmware_order(image.version) <= firmware_order(info.firmware_version)
			OR image.version = ltrim(info.firmware_version, 'vV')
			THEN 'the panel has ' || info.firmware_version || ', which is as new'
		END AS reason
	FROM series
	CROSS JOIN LATERAL (
		SELECT device.id, device.created_at, device.board, device.disabled_at
		FROM device
		WHERE device.account_id = series.account_id
			AND (cardinality(:chosen_ids) = 0 OR device.id = ANY (:chosen_ids))
		ORDER BY device.created_at, device.id
		LIMIT :row_limit
		FOR KEY SHARE -- none is removed meanwhile
	) AS device
	LEFT JOIN panel_info AS info ON info.device_id = device.id
	LEFT JOIN LATERAL (
		SELECT firmware_image.version
		FROM firmware_image
		WHERE firmware_image.board = device.board
		ORDER BY firmware_order(firmware_image.version) DESC, firmware_image.created_at DESC
		LIMIT 1
	) AS image ON true
), added AS (
	INSERT INTO firmware_series_device (series_id, account_id, device_id, position, state, reason, version)
	SELECT :series_id, :account_id, id, row_number() OVER (ORDER BY created_at, id),
		CASE WHEN reason IS NULL THEN 'waiting' ELSE 'left_out' END, reason, version
	FROM judged
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'firmware.series', 'all devices', :address, :session_id
	FROM series
	JOIN account ON account.id = series.account_id
)
SELECT series.series_id
FROM account
LEFT JOIN series ON true
WHERE account.id = :account_id
