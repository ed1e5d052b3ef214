-- The connection of an account to an MQTT broker; its state is none where it has none. No row: the account is gone.
-- params: account_id uuid
-- row: mqtt_connection
-- effect: read
-- work: bounded
SELECT shown.{mqtt_connection}
FROM account
LEFT JOIN mqtt_connection AS held ON held.account_id = account.id
CROSS JOIN LATERAL (
	SELECT held.url, held.username, held.password IS NOT NULL AS has_password,
		coalesce(held.is_of_instance, false) AS is_of_instance, coalesce(held.state, 'none') AS state, held.state_at,
		held.error
) AS shown
WHERE account.id = :account_id
