-- Leases connections to MQTT brokers that no worker holds, and renews the lease of this worker for 6.5 s, in one row
-- for all of its connections. A worker whose lease has ended takes its own connections as those of others. Left out are
-- those of accounts that are being removed. The connection may reach the addresses of --egress-allow, as the account's
-- previews may, if is_marked (an administrator has marked the account) and not is_local_closed (to all accounts).
-- own_account_id: the account of --mqtt-account; a worker gives back that of another instance. One that an API key has
-- set up is leased until the end of the key, in end_ms (-1: it has none), also before key_end_next removes it.
-- params: holder uuid, own_account_id uuid, row_limit int4
-- row: account_id uuid, url text, username text?, password bytea?, is_of_instance bool,
--   revision int8, is_local_closed bool, is_marked bool, end_ms int8
WITH dead AS MATERIALIZED (
	SELECT id
	FROM mqtt_holder
	WHERE held_until < present_time()
	ORDER BY id
	LIMIT 100
	FOR UPDATE SKIP LOCKED
), expired AS MATERIALIZED (
	SELECT mqtt_connection.account_id
	FROM mqtt_connection
	JOIN api_key ON api_key.id = made_by_key_id
	WHERE holder = :holder AND NOT keeps_set_up
		AND key_set_up_until(revoked_at, ends_at, scope, device_ids) <= present_time()
), own AS MATERIALIZED (
	SELECT account_id
	FROM mqtt_connection
	WHERE holder = :holder AND held_until = 'infinity' AND (NOT is_of_instance OR account_id = :own_account_id)
		AND (SELECT held_until >= present_time() FROM mqtt_holder WHERE id = :holder)
		AND account_id <> ALL (ARRAY(SELECT account_id FROM expired))
), returned AS (
	UPDATE mqtt_connection
	SET holder = NULL, held_until = '-infinity'
	WHERE holder = :holder AND (is_of_instance AND account_id <> :own_account_id
		OR account_id = ANY (ARRAY(SELECT account_id FROM expired)))
), free AS (
	(
		SELECT account_id
		FROM mqtt_connection
		WHERE held_until < present_time()
		ORDER BY held_until
		LIMIT :row_limit
	) UNION ALL (
		SELECT account_id
		FROM mqtt_connection
		WHERE holder = ANY (ARRAY(SELECT id FROM dead)) AND held_until = 'infinity'
		LIMIT :row_limit
	)
), locked AS MATERIALIZED (
	SELECT account_id
	FROM mqtt_connection
	WHERE account_id = ANY (ARRAY(SELECT account_id FROM free))
		AND (held_until < present_time() OR holder = ANY (ARRAY(SELECT id FROM dead)))
		AND (NOT is_of_instance OR account_id = :own_account_id)
		AND (SELECT closed_at IS NULL FROM account WHERE account.id = mqtt_connection.account_id)
		AND NOT EXISTS (
			SELECT FROM api_key
			WHERE api_key.id = mqtt_connection.made_by_key_id AND NOT keeps_set_up
				AND key_set_up_until(revoked_at, ends_at, scope, device_ids) <= present_time()
		)
	LIMIT greatest(:row_limit - (SELECT count(*) FROM own), 0)
	FOR NO KEY UPDATE SKIP LOCKED
), renewed AS (
	INSERT INTO mqtt_holder (id, held_until)
	SELECT :holder, present_time() + interval '6.5 s'
	WHERE EXISTS (SELECT FROM own) OR EXISTS (SELECT FROM locked)
	ON CONFLICT (id) DO UPDATE
	SET held_until = excluded.held_until
), ended AS (
	DELETE FROM mqtt_holder
	WHERE id = ANY (ARRAY(SELECT id FROM dead)) AND id <> :holder
		AND NOT EXISTS (SELECT FROM mqtt_connection WHERE holder = mqtt_holder.id)
), taken AS (
	UPDATE mqtt_connection
	SET holder = :holder, held_until = 'infinity', state = 'waiting', state_at = present_time(), error = NULL
	WHERE account_id = ANY (ARRAY(SELECT account_id FROM locked))
	RETURNING account_id
)
SELECT mqtt_connection.account_id, url, username, password, is_of_instance, revision,
	NOT site.apps_reach_local AS is_local_closed,
	(SELECT account.reaches_local FROM account WHERE account.id = mqtt_connection.account_id) AS is_marked,
	coalesce(key_end.end_ms, -1) AS end_ms
FROM (SELECT account_id FROM own UNION ALL SELECT account_id FROM taken) AS held
JOIN mqtt_connection USING (account_id)
CROSS JOIN site
LEFT JOIN LATERAL (
	SELECT milliseconds_until(until) AS end_ms, until <= present_time() AS has_ended
	FROM api_key
	CROSS JOIN LATERAL (SELECT key_set_up_until(revoked_at, ends_at, scope, device_ids) AS until) AS key
	WHERE api_key.id = mqtt_connection.made_by_key_id AND NOT keeps_set_up AND until IS NOT NULL
) AS key_end ON true
WHERE site.is_it AND key_end.has_ended IS NOT TRUE
	AND (SELECT closed_at IS NULL FROM account WHERE account.id = mqtt_connection.account_id)
