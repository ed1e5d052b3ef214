-- The connection of an account to an MQTT broker. No row: it has none.
-- params: account_id uuid
-- row: mqtt_connection
-- effect: read
-- work: bounded
SELECT {mqtt_connection}
FROM mqtt_connection
CROSS JOIN LATERAL (SELECT password IS NOT NULL AS has_password) AS secret
WHERE account_id = :account_id
