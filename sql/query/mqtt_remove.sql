-- Removes the connection of an account to an MQTT broker. No row: it has none, or one that an instance serves for
-- --mqtt.
-- params: account_id uuid, address text?, session_id uuid
-- row: account_id uuid
-- rare: an owner removes the connection
WITH removed AS (
	DELETE FROM mqtt_connection
	WHERE account_id = :account_id AND (NOT is_of_instance OR mqtt_held_until(held_until, holder) < present_time())
	RETURNING account_id, url
), told AS (
	SELECT pg_notify('displayd_hint', 'mqtt:' || account_id)
	FROM removed
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'mqtt.remove', left(removed.url, 200), :address, :session_id
	FROM removed
	JOIN account ON account.id = removed.account_id
)
SELECT removed.account_id
FROM removed
CROSS JOIN told
