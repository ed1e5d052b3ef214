-- Whether there is no account yet, and which of the first steps an account has done.
-- params: account_id uuid
-- row: is_new bool, has_panel bool, has_entry bool, has_apps bool
SELECT account_count = 0 AS is_new,
	EXISTS (SELECT FROM device WHERE account_id = :account_id AND connected_at IS NOT NULL) AS has_panel,
	EXISTS (
		SELECT
		FROM device
		JOIN installation ON installation.device_id = device.id
		WHERE device.account_id = :account_id
	) AS has_entry,
	EXISTS (
		SELECT
		FROM app
		WHERE status = 'active' AND visibility <> 'private' AND deployed_version_id IS NOT NULL
	) AS has_apps
FROM site
WHERE is_it
