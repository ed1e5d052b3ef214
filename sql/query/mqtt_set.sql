-- Sets the connection of an account to an MQTT broker; the worker that holds it connects again.
-- address and session_id are those of a browser; session_id all zero: an API key has set it.
-- key_hash: of the key that sets it; NULL: its owner does. The account is locked before the key, as where all access
-- ends. 20 times in a row, then once in five seconds. No row: the account is gone, or an instance serves it for --mqtt.
-- params: account_id uuid, key_hash bytea?, url text, username text?, password bytea?, address text?, session_id uuid
-- row: mqtt_connection
-- refuse: 28D01 -> key_ended, 54D03 -> mqtt_too_often
-- rare: an owner sets the connection
WITH owner AS MATERIALIZED (
	SELECT id
	FROM account
	WHERE id = :account_id AND closed_at IS NULL
	FOR NO KEY UPDATE
), paced AS MATERIALIZED (
	SELECT id, mqtt_pace(id) AS pace
	FROM owner
), changed AS (
	INSERT INTO mqtt_connection (account_id, url, username, password, made_by_key_id)
	SELECT id, :url, :username, :password, key_sets_up(:key_hash)
	FROM paced
	ON CONFLICT (account_id) DO UPDATE
	SET url = excluded.url, is_of_instance = false, username = excluded.username, password = excluded.password,
		made_by_key_id = excluded.made_by_key_id,
		revision = mqtt_connection.revision + 1, state = 'waiting', state_at = present_time(), error = NULL
	WHERE NOT mqtt_connection.is_of_instance
		OR mqtt_held_until(mqtt_connection.held_until, mqtt_connection.holder) < present_time()
	RETURNING *
), told AS (
	SELECT pg_notify('displayd_hint', 'mqtt:' || account_id)
	FROM changed
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'mqtt.update', left(changed.url, 200), :address, :session_id
	FROM changed
	JOIN account ON account.id = changed.account_id
)
SELECT {mqtt_connection}
FROM changed
CROSS JOIN LATERAL (SELECT password IS NOT NULL AS has_password) AS secret
CROSS JOIN told
