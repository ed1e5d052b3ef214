-- What goes with an account.
-- params: account_id uuid
-- row: removal_preview
-- effect: read
-- work: grows with the account's apps
SELECT (SELECT count(*) FROM device WHERE account_id = account.id) AS devices,
	account.key_count AS keys,
	(SELECT count(*) FROM app WHERE account_id = account.id) - kept.apps AS apps,
	kept.apps AS kept_apps,
	account.is_administrator AND site.administrator_count = 1 AS is_last_administrator
FROM account
JOIN site ON site.is_it
CROSS JOIN LATERAL (
	SELECT count(*) AS apps
	FROM app
	WHERE app.account_id = account.id AND app.visibility <> 'private' AND NOT app.is_removed
		AND EXISTS (
		SELECT
		FROM installation
		JOIN device ON device.id = installation.device_id
		WHERE installation.app_id = app.id AND device.account_id <> account.id)) AS kept
WHERE account.id = :account_id
