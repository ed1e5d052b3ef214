-- The connection of an account to an MQTT broker; the state is none if there is no connection, and
-- waiting if no worker holds it, with the reason if that lasts. No row: the account is gone.
-- params: account_id uuid
-- row: mqtt_connection
SELECT shown.{mqtt_connection}
FROM account
LEFT JOIN mqtt_connection AS held ON held.account_id = account.id
CROSS JOIN LATERAL (
	SELECT mqtt_held_until(held.held_until, held.holder) AS until
) AS holding
CROSS JOIN LATERAL (
	SELECT holding.until < present_time() AS is_free, greatest(held.state_at, holding.until) AS free_at
) AS lease
CROSS JOIN LATERAL (
	SELECT held.url, held.username, held.password IS NOT NULL AS has_password,
		coalesce(held.is_of_instance, false) AS is_of_instance,
		CASE WHEN lease.is_free THEN 'waiting' ELSE coalesce(held.state, 'none') END AS state,
		CASE WHEN lease.is_free THEN lease.free_at ELSE held.state_at END AS state_at,
		CASE WHEN NOT coalesce(lease.is_free, false) THEN held.error
			WHEN lease.free_at > present_time() - interval '20 s' THEN NULL
			WHEN held.is_of_instance THEN 'no server has this setting now'
			WHEN EXISTS (
				SELECT
				FROM mqtt_connection
				JOIN mqtt_holder ON id = holder
				WHERE mqtt_connection.held_until = 'infinity' AND mqtt_holder.held_until >= (SELECT present_time())
			) THEN 'all connections of the servers are taken'
			WHEN lease.is_free THEN 'no server connects to brokers now'
			END AS error
) AS shown
WHERE account.id = :account_id
