-- Notes the result of a message that was sent with this lease. If it was delivered, its events are
-- removed. Else it is tried again, after pauses that grow to an hour; a message that was tried for
-- a day is dropped, with all events that are as old, and the next message says how many were lost.
-- A webhook that has failed for three days, or answers 410, is to be switched off: is_off.
-- has_begun_to_fail, works_again: unlike the message before. status 0: no answer. No row: another
-- worker has the webhook, or it is gone.
-- params: id uuid, lease uuid, is_delivered bool, status int4, problem text?
-- row: is_off bool, lost int8, has_begun_to_fail bool, works_again bool
WITH mine AS MATERIALIZED (
	SELECT id, message_numbers, tries, failing_since, next_at,
		NOT :is_delivered AND message_at < present_time() - interval '1 day' AS is_old,
		NOT :is_delivered AND (failing_since < present_time() - interval '3 days' OR :status = 410) AS is_off
	FROM webhook
	WHERE id = :id AND lease = :lease
	FOR NO KEY UPDATE
), past AS (
	SELECT mine.id, sent.number
	FROM mine
	CROSS JOIN LATERAL unnest(mine.message_numbers) AS sent (number)
	WHERE :is_delivered OR mine.is_old
	UNION
	SELECT mine.id, event.number
	FROM mine
	CROSS JOIN LATERAL (
		SELECT number
		FROM webhook_event
		WHERE mine.is_old AND webhook_id = mine.id AND created_at < present_time() - interval '1 day'
	) AS event
), gone AS (
	DELETE FROM webhook_event
	USING past
	WHERE webhook_event.webhook_id = past.id AND webhook_event.number = past.number
	RETURNING webhook_event.number
), noted AS (
	UPDATE webhook
	SET lease = NULL,
		leased_until = '-infinity',
		last_status = nullif(:status, 0),
		last_problem = left(:problem, 300),
		last_at = present_time(),
		tries = CASE WHEN :is_delivered THEN 0 ELSE webhook.tries + 1 END,
		failing_since = CASE WHEN NOT :is_delivered
			THEN coalesce(webhook.failing_since, present_time()) END,
		next_at = CASE WHEN :is_delivered THEN webhook.next_at
			ELSE present_time() + least(3600, 5 * 3 ^ least(webhook.tries, 8)) * (0.75 + 0.5 * random())
				* interval '1 second' END,
		lost = webhook.lost + CASE WHEN mine.is_old
			THEN webhook.message_lost + (SELECT count(*) FROM gone) ELSE 0 END,
		message_id = CASE WHEN NOT :is_delivered AND NOT mine.is_old THEN webhook.message_id END,
		message_at = CASE WHEN NOT :is_delivered AND NOT mine.is_old THEN webhook.message_at END,
		message_numbers = CASE WHEN NOT :is_delivered AND NOT mine.is_old THEN webhook.message_numbers END,
		message_lost = CASE WHEN NOT :is_delivered AND NOT mine.is_old THEN webhook.message_lost ELSE 0 END
	FROM mine
	WHERE webhook.id = mine.id
	RETURNING webhook.id, mine.is_off,
		NOT :is_delivered AND mine.failing_since IS NULL AS has_begun_to_fail,
		:is_delivered AND mine.failing_since IS NOT NULL AS works_again,
		CASE WHEN mine.is_old THEN (SELECT count(*) FROM gone) ELSE 0 END AS lost
)
SELECT coalesce(is_off, false) AS is_off, lost, has_begun_to_fail, works_again
FROM noted
