-- Gives an account the connection to an MQTT broker that --mqtt names, instead of its own. No row: no account has the
-- address.
-- params: email text, url text, username text?
-- row: id uuid
WITH owner AS (
	SELECT id
	FROM account
	WHERE lower(email) = lower(:email) AND closed_at IS NULL
), changed AS (
	INSERT INTO mqtt_connection (account_id, url, username, is_of_instance)
	SELECT id, :url, :username, true
	FROM owner
	ON CONFLICT (account_id) DO UPDATE
	SET url = excluded.url, username = excluded.username, password = NULL, is_of_instance = true,
		made_by_key_id = NULL,
		revision = mqtt_connection.revision + 1, state = 'waiting', state_at = present_time(), error = NULL
	WHERE NOT mqtt_connection.is_of_instance OR mqtt_connection.url <> excluded.url
		OR mqtt_connection.username IS DISTINCT FROM excluded.username
)
SELECT id
FROM owner
