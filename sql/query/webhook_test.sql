-- Reads what a test message to a webhook of an account needs, once a second. is_early: it was
-- tested within the last second, and no message may be sent now. No row: the account has none with
-- this ID. previous_secret: signs too, if it is not empty.
-- params: id uuid, account_id uuid
-- row: url text, secret bytea, previous_secret bytea, is_local_closed bool, is_marked bool, is_early bool,
--   wall_time timestamptz, sent_at text
WITH tried AS (
	UPDATE webhook
	SET tested_at = present_time()
	WHERE id = :id AND account_id = :account_id AND tested_at < present_time() - interval '1 second'
	RETURNING id
)
SELECT webhook.url, webhook.secret,
	coalesce(CASE WHEN webhook.previous_until > now.at THEN webhook.previous_secret END, '') AS previous_secret,
	NOT site.apps_reach_local AS is_local_closed, account.reaches_local AS is_marked,
	NOT EXISTS (SELECT FROM tried) AS is_early, now.at AS wall_time, webhook_time(now.at) AS sent_at
FROM webhook
JOIN account ON account.id = webhook.account_id
JOIN site ON site.is_it
CROSS JOIN present_time() AS now (at)
WHERE webhook.id = :id AND webhook.account_id = :account_id
