-- The next installations of an app that was leased, in the order of their devices and IDs, which
-- have settings in the clear; renews the lease. No row: there are no more, or another version is
-- deployed, or the lease has expired.
-- params: lease uuid, lease_s int8, app_id uuid, version_id uuid, after_device_id uuid, after_id text,
--   row_limit int8
-- row: device_id uuid, id text, account_id uuid, locale text, settings text, secret_settings bytea?,
--   settings_hash bytea
WITH renewed AS (
	UPDATE app_to_seal
	SET due_at = present_time() + :lease_s * interval '1 second'
	WHERE claim = :lease
	RETURNING id
), entry AS (
	SELECT *
	FROM installation
	WHERE app_id = :app_id AND settings <> '{}'
		AND (device_id, id) > (:after_device_id, :after_id)
	ORDER BY device_id, id
	LIMIT :row_limit
)
SELECT entry.device_id, entry.id, device.account_id, device.locale, entry.settings,
	entry.secret_settings, entry.settings_hash
FROM entry
JOIN device ON device.id = entry.device_id
WHERE EXISTS (SELECT FROM renewed) AND EXISTS (
	SELECT
	FROM app
	WHERE id = :app_id AND deployed_version_id = :version_id)
ORDER BY entry.device_id, entry.id
