-- Some of the secrets of each kind that are stored, the newest first. Lines of an import are left out: they are
-- encrypted with the same key, but end within the hour.
-- row: owner_id uuid, label text, secret bytea
-- work: grows with installations
SELECT secrets.owner_id, secrets.label, secrets.secret
FROM (
	(
		SELECT device_id AS owner_id, id AS label, secret_settings AS secret
		FROM installation
		WHERE secret_settings IS NOT NULL
		ORDER BY created_at DESC
		LIMIT 100
	) UNION ALL (
		SELECT id, 'webhook', secret
		FROM webhook
		ORDER BY id DESC
		LIMIT 100
	) UNION ALL (
		SELECT account_id, 'mqtt password', password
		FROM mqtt_connection
		WHERE password IS NOT NULL
		ORDER BY state_at DESC
		LIMIT 100
	) UNION ALL (
		SELECT id, '/second-key', order_key
		FROM device
		WHERE order_key IS NOT NULL
		LIMIT 100
	)
) AS secrets
