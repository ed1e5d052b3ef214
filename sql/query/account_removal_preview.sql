-- Counts what is removed with an account, and the apps that are kept.
-- params: account_id uuid
-- row: removal_preview
-- work: grows with the account's apps
SELECT account.device_count::int8 AS devices,
	account.key_count AS keys,
	account.owned_app_count - kept.apps AS apps,
	kept.apps AS kept_apps,
	account.is_administrator AND site.administrator_count = 1 AS is_last_administrator
FROM account
JOIN site ON site.is_it
CROSS JOIN LATERAL (
	SELECT count(*) AS apps
	FROM app
	WHERE app.account_id = account.id AND app.visibility <> 'private' AND NOT app.is_removed
		AND is_app_of_others(app.id, account.id)) AS kept
WHERE account.id = :account_id
