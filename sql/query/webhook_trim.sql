-- Keeps the newest 10,000 events of a webhook, and drops at most 10,000 older ones: of the webhook
-- whose last check is the longest ago, at least ten seconds. The next message says how many were
-- dropped. No row: none was due.
-- params: row_limit int8
-- row: dropped int8
WITH due AS MATERIALIZED (
	SELECT id, message_numbers
	FROM webhook
	WHERE is_enabled AND trimmed_at < present_time() - interval '10 seconds'
	ORDER BY trimmed_at
	LIMIT 1
	FOR NO KEY UPDATE SKIP LOCKED
), old AS MATERIALIZED (
	SELECT event.webhook_id, event.number
	FROM due
	CROSS JOIN LATERAL (
		SELECT number FROM webhook_event WHERE webhook_id = due.id ORDER BY number DESC OFFSET :row_limit LIMIT 1
	) AS kept
	CROSS JOIN LATERAL (
		SELECT webhook_id, number
		FROM webhook_event
		WHERE webhook_id = due.id AND number <= kept.number
			AND (due.message_numbers IS NULL OR number <> ALL (due.message_numbers))
		ORDER BY number
		LIMIT 10000
	) AS event
), gone AS (
	DELETE FROM webhook_event
	USING old
	WHERE webhook_event.webhook_id = old.webhook_id AND webhook_event.number = old.number
	RETURNING webhook_event.number
), noted AS (
	UPDATE webhook
	SET trimmed_at = present_time(), lost = webhook.lost + (SELECT count(*) FROM gone)
	FROM due
	WHERE webhook.id = due.id
	RETURNING true
)
SELECT (SELECT count(*) FROM gone) AS dropped
FROM noted
