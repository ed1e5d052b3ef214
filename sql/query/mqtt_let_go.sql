-- Gives back the connections to MQTT brokers that a worker holds, as the worker ends.
-- params: holder uuid
WITH ended AS (
	DELETE FROM mqtt_holder
	WHERE id = :holder
)
UPDATE mqtt_connection
SET holder = NULL, held_until = '-infinity', state = 'waiting', state_at = present_time(), error = NULL
WHERE holder = :holder
