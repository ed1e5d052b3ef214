-- Leases a webhook that is due and for which events wait: for lease_ms this worker alone sends to
-- it. The message is that of the attempt before, with the same ID, or a new one of the next
-- row_limit events, in order. It looks at webhooks from an ID on, as many as have events. The next
-- message is not due before all webhooks of the account had their turn: together they send 10 a
-- second. One row; id is all zero: none is due. has_webhooks: there are any. next_after: the next
-- ID to start after; all zero: start from the first one. wait_ms: until one of them will be due, at
-- most a minute. waiting: how many of them have events.
-- One whose key has ended, or the key that knows its secret, gets nothing any more, also before key_end_next switches
-- it off.
-- previous_secret: signs too, if it is not empty; one that has ended is removed.
-- params: lease uuid, lease_ms int8, message_id uuid, after uuid, row_limit int8
-- row: has_webhooks bool, next_after uuid, id uuid, account_id uuid, url text, secret bytea,
--   previous_secret bytea, message_id uuid, wall_time timestamptz, body text, event_count int8,
--   is_local_closed bool, is_marked bool, wait_ms int8, waiting int8
WITH RECURSIVE waiting (id, number) AS (
	SELECT first.webhook_id, 1::int8
	FROM (
		SELECT webhook_id FROM webhook_event WHERE webhook_id > :after ORDER BY webhook_id LIMIT 1
	) AS first
	UNION ALL
	SELECT next.webhook_id, waiting.number + 1
	FROM waiting
	CROSS JOIN LATERAL (
		SELECT webhook_id FROM webhook_event WHERE webhook_id > waiting.id ORDER BY webhook_id LIMIT 1
	) AS next
	WHERE waiting.number < :row_limit
), chosen AS MATERIALIZED (
	SELECT due.*
	FROM waiting
	CROSS JOIN LATERAL (
		SELECT *
		FROM webhook
		WHERE webhook.id = waiting.id AND is_enabled AND next_at <= present_time()
			AND leased_until <= present_time() AND NOT EXISTS (
				SELECT FROM api_key
				WHERE api_key.id IN (webhook.made_by_key_id, webhook.secret_key_id)
					AND key_set_up_until(revoked_at, ends_at, scope, device_ids) <= present_time()
			)
		FOR NO KEY UPDATE SKIP LOCKED
	) AS due
	LIMIT 1
), batch AS MATERIALIZED (
	SELECT event.number, event.kind, event.data, event.created_at
	FROM chosen
	CROSS JOIN LATERAL (
		(SELECT number, kind, data, created_at
		FROM webhook_event
		WHERE webhook_id = chosen.id AND chosen.message_id IS NULL
		ORDER BY number
		LIMIT :row_limit)
		UNION ALL
		SELECT number, kind, data, created_at
		FROM unnest(chosen.message_numbers) AS kept (number)
		JOIN webhook_event USING (number)
		WHERE webhook_id = chosen.id
	) AS event
), taken AS (
	UPDATE webhook
	SET lease = :lease,
		leased_until = present_time() + :lease_ms * interval '1 millisecond',
		next_at = present_time() + interval '100 milliseconds' * (
			SELECT count(*) FROM webhook AS other
			WHERE other.account_id = webhook.account_id AND other.is_enabled),
		previous_secret = CASE WHEN webhook.previous_until > present_time() THEN webhook.previous_secret END,
		previous_until = CASE WHEN webhook.previous_until > present_time() THEN webhook.previous_until END,
		message_id = coalesce(webhook.message_id, :message_id),
		message_at = coalesce(webhook.message_at, present_time()),
		message_numbers = coalesce(webhook.message_numbers, (SELECT array_agg(number) FROM batch)),
		message_lost = CASE WHEN webhook.message_id IS NULL THEN webhook.lost ELSE webhook.message_lost END,
		lost = CASE WHEN webhook.message_id IS NULL THEN 0 ELSE webhook.lost END
	FROM chosen
	WHERE webhook.id = chosen.id
	RETURNING webhook.id, webhook.account_id, webhook.url, webhook.secret, webhook.previous_secret,
		webhook.message_id, webhook.message_at, webhook.message_lost
)
SELECT EXISTS (SELECT FROM webhook WHERE is_enabled) AS has_webhooks,
	coalesce((SELECT id FROM waiting WHERE number = :row_limit), '00000000-0000-0000-0000-000000000000') AS next_after,
	coalesce(taken.id, '00000000-0000-0000-0000-000000000000') AS id,
	coalesce(taken.account_id, '00000000-0000-0000-0000-000000000000') AS account_id,
	coalesce(taken.url, '') AS url, coalesce(taken.secret, '') AS secret,
	coalesce(taken.previous_secret, '') AS previous_secret,
	coalesce(taken.message_id, '00000000-0000-0000-0000-000000000000') AS message_id, now.at AS wall_time,
	coalesce('{"type":"events","timestamp":"' || webhook_time(taken.message_at) || '","events":['
		|| CASE WHEN taken.message_lost > 0 THEN
			'{"type":"lost","timestamp":"' || webhook_time(taken.message_at) || '","data":{"count":'
			|| taken.message_lost || '}}' || CASE WHEN EXISTS (SELECT FROM batch) THEN ',' ELSE '' END
			ELSE '' END
		|| coalesce((
			SELECT string_agg('{"type":"' || kind || '","timestamp":"' || webhook_time(created_at)
				|| '","data":' || data || '}', ',' ORDER BY number)
			FROM batch), '')
		|| ']}', '') AS body,
	(SELECT count(*) FROM batch) AS event_count,
	NOT site.apps_reach_local AS is_local_closed, coalesce(account.reaches_local, false) AS is_marked,
	coalesce((
		SELECT milliseconds_until(least(now.at + interval '1 minute', min(other.due_at)))
		FROM waiting
		CROSS JOIN LATERAL (
			SELECT greatest(next_at, leased_until) AS due_at
			FROM webhook
			WHERE webhook.id = waiting.id AND is_enabled AND NOT EXISTS (
					SELECT FROM api_key
					WHERE api_key.id IN (webhook.made_by_key_id, webhook.secret_key_id)
						AND key_set_up_until(revoked_at, ends_at, scope, device_ids) <= present_time()
				)
			LIMIT 1
		) AS other), 60000) AS wait_ms,
	(SELECT count(*) FROM waiting) AS waiting
FROM present_time() AS now (at)
JOIN site ON site.is_it
LEFT JOIN taken ON true
LEFT JOIN account ON account.id = taken.account_id
