-- Takes connections to MQTT brokers that nobody holds, and keeps those that this worker holds, for 15 s. Those of
-- accounts that are being removed are let go. reaches_local: administrators let apps reach what --egress-allow opens.
-- params: holder uuid, has_setting bool, row_limit int4
-- row: account_id uuid, url text, username text?, password bytea?, is_of_instance bool,
--   revision int8, reaches_local bool
-- effect: write
-- work: bounded
WITH own AS (
	SELECT account_id, 0 AS rank
	FROM mqtt_connection
	WHERE holder = :holder
	LIMIT 64
), free AS (
	SELECT account_id, 1 AS rank
	FROM mqtt_connection
	WHERE held_until < present_time()
	ORDER BY held_until
	LIMIT 64
), candidate AS (
	SELECT account_id, min(rank) AS rank
	FROM (SELECT * FROM own UNION ALL SELECT * FROM free) AS both_kinds
	GROUP BY account_id
	ORDER BY rank, account_id
	LIMIT :row_limit
), locked AS (
	SELECT mqtt_connection.account_id
	FROM candidate
	JOIN mqtt_connection USING (account_id)
	JOIN account ON account.id = mqtt_connection.account_id
	WHERE account.closed_at IS NULL AND (NOT is_of_instance OR :has_setting)
		AND (holder = :holder OR held_until < present_time())
	FOR NO KEY UPDATE OF mqtt_connection SKIP LOCKED
)
UPDATE mqtt_connection
SET holder = :holder, held_until = present_time() + interval '15 s'
FROM locked, site
WHERE mqtt_connection.account_id = locked.account_id AND site.is_it
RETURNING mqtt_connection.account_id, url, username, password, is_of_instance, revision,
	site.apps_reach_local AS reaches_local
