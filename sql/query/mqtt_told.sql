-- Notes the state of a connection to an MQTT broker, if this worker still holds it. error: NULL if
-- it is connected.
-- params: account_id uuid, holder uuid, error text?
UPDATE mqtt_connection
SET state = CASE WHEN :error IS NULL THEN 'connected' ELSE 'failed' END,
	state_at = CASE WHEN (state = 'connected') = (:error IS NULL) AND state <> 'waiting' THEN state_at
		ELSE present_time() END,
	error = :error
WHERE account_id = :account_id AND holder = :holder
