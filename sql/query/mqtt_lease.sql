-- Leases connections to MQTT brokers that no worker holds, and renews the leases of this worker,
-- for 15 s. Leases for accounts that are being removed are given back. The connection may reach the
-- addresses of --egress-allow, as the account's previews may, if is_marked (an administrator has
-- marked the account) and not is_local_closed (to all accounts). own_account_id: the account of
-- --mqtt-account. One that an API key has set up is leased until the end of the key, in end_ms (-1: it has none), also
-- before key_end_next removes it.
-- params: holder uuid, own_account_id uuid, row_limit int4
-- row: account_id uuid, url text, username text?, password bytea?, is_of_instance bool,
--   revision int8, is_local_closed bool, is_marked bool, end_ms int8
WITH own AS (
	SELECT account_id, 0 AS rank
	FROM mqtt_connection
	WHERE holder = :holder AND NOT EXISTS (
			SELECT FROM api_key
			WHERE api_key.id = mqtt_connection.made_by_key_id AND NOT keeps_set_up
				AND key_set_up_until(revoked_at, ends_at, scope, device_ids) <= present_time()
		)
	LIMIT 40
), free AS (
	SELECT account_id, 1 AS rank
	FROM mqtt_connection
	WHERE held_until < present_time() AND NOT EXISTS (
			SELECT FROM api_key
			WHERE api_key.id = mqtt_connection.made_by_key_id AND NOT keeps_set_up
				AND key_set_up_until(revoked_at, ends_at, scope, device_ids) <= present_time()
		)
	ORDER BY held_until
	LIMIT 40
), candidate AS (
	SELECT account_id, min(rank) AS rank
	FROM (SELECT * FROM own UNION ALL SELECT * FROM free) AS both_kinds
	GROUP BY account_id
	ORDER BY rank, account_id
	LIMIT :row_limit
), locked AS (
	SELECT account_id
	FROM mqtt_connection
	WHERE account_id = ANY (ARRAY(SELECT account_id FROM candidate))
		AND (NOT is_of_instance OR account_id = :own_account_id)
		AND (holder = :holder OR held_until < present_time())
		AND (SELECT closed_at IS NULL FROM account WHERE account.id = mqtt_connection.account_id)
	FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE mqtt_connection
SET holder = :holder, held_until = present_time() + interval '15 s'
FROM site
WHERE mqtt_connection.account_id = ANY (ARRAY(SELECT account_id FROM locked)) AND site.is_it
RETURNING mqtt_connection.account_id, url, username, password, is_of_instance, revision,
	NOT site.apps_reach_local AS is_local_closed,
	(SELECT account.reaches_local FROM account WHERE account.id = mqtt_connection.account_id) AS is_marked,
	coalesce((
		SELECT milliseconds_until(key_set_up_until(revoked_at, ends_at, scope, device_ids))
		FROM api_key
		WHERE api_key.id = mqtt_connection.made_by_key_id AND NOT keeps_set_up
			AND key_set_up_until(revoked_at, ends_at, scope, device_ids) IS NOT NULL), -1) AS end_ms
